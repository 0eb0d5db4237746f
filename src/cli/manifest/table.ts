import { counted } from '../../foundation/text/counted.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';

/** Names the version that must be installed before this one. */
export function previousName({ previousVersion, previousBuild }: Version): string {
  if (previousVersion === '') return '–';
  return previousBuild === '' ? previousVersion : `${previousVersion}.${previousBuild}`;
}

export function describeVersion(made: Version): string {
  const over = made.previousVersion === '' ? '' : ` over ${previousName(made)}`;
  return `${made.update} ${versionName(made)}${over}, ${counted(made.containers.length, 'container')}`;
}

/** Prints ids and numbers only. They were checked when the manifest was read, so they are safe on a terminal. */
export function manifestTable(versions: readonly Version[]): string {
  const rows = [
    ['id', 'version', 'over', 'containers'],
    ...versions.map((one) => [one.id, versionName(one), previousName(one), String(one.containers.length)]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('   ')}\n`).join('');
}

/** The checksums of the objects of versions, which are those of their bundles; empty if no version has objects. */
export function objectsTable(versions: readonly Version[]): string {
  const named = versions.flatMap(({ id, objects }) => (objects === undefined ? [] : [{ id, ...objects }]));
  const width = Math.max(...named.map(({ id }) => id.length));
  return named
    .map(
      ({ id, checksum, image }) => `  ${id.padEnd(width)}   ${checksum}${image === undefined ? '' : `   ${image}`}\n`,
    )
    .join('');
}
