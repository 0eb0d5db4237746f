import type { Version } from '../../model/version.ts';

/** As people write a version. */
function versionName({ version, build }: Version): string {
  return `${version}.${build}`;
}

/** What has to be installed before. */
export function previousName({ previousVersion, previousBuild }: Version): string {
  if (previousVersion === '') return '–';
  return previousBuild === '' ? previousVersion : `${previousVersion}.${previousBuild}`;
}

export function countOf(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`;
}

export function describeVersion(made: Version): string {
  const over = made.previousVersion === '' ? '' : ` over ${previousName(made)}`;
  return `${made.update} ${versionName(made)}${over}, ${countOf(made.containers.length, 'container')}`;
}

/** Every cell is of digits, ASCII letters and dashes: ids and numbers have been read, so none can harm a terminal. */
export function manifestTable(versions: readonly Version[]): string {
  const rows = [
    ['id', 'version', 'over', 'containers'],
    ...versions.map((one) => [one.id, versionName(one), previousName(one), String(one.containers.length)]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('   ')}\n`).join('');
}
