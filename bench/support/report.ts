import { hasWrk } from './wrk.ts';

export interface Bar {
  readonly name: string;
  readonly measured: number;
  readonly atMost: number;
  readonly unit: string;
}

export const say = (text: string): void => void process.stdout.write(`${text}\n`);
export const progress = (text: string): void => void process.stderr.write(`${text}\n`);
export const best = (values: readonly number[]): number => Math.min(...values);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >>> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

export function row(name: string, ...cells: readonly string[]): string {
  return name.padEnd(38) + cells.map((cell) => cell.padStart(12)).join('');
}

const DIGITS: Readonly<Record<string, number>> = { x: 2, ms: 1 };

export function printBars(bars: readonly Bar[]): void {
  say(`\n${row('bar', 'measured', 'at most')}`);
  for (const { name, measured, atMost, unit } of bars) {
    const cells = [measured, atMost].map((value) => `${value.toFixed(DIGITS[unit] ?? 0)} ${unit}`);
    say(row(name, ...cells, measured <= atMost ? 'ok' : 'MISSED'));
  }
}

/** Says the last line; answers the exit code. */
export function verdict(name: string, bars: readonly Bar[], noise: string | undefined): number {
  if (noise !== undefined) {
    say(`${name}: too noisy: ${noise}; run it again`);
    return 3;
  }
  const missed = bars.filter(({ measured, atMost }) => measured > atMost);
  say(missed.length === 0 ? `${name}: ok` : `${name}: FAILED: ${missed.map((bar) => bar.name).join(', ')}`);
  return missed.length === 0 ? 0 : 1;
}

/** Runs a benchmark to its exit code. */
export async function benchmark(name: string, run: () => Promise<number>): Promise<never> {
  if (!hasWrk()) {
    progress("The load comes from wrk: install Debian's wrk.");
    process.exit(2);
  }
  try {
    process.exit(await run());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    progress(reason);
    say(`${name}: FAILED: ${reason.split('\n', 1)[0]}`);
    process.exit(1);
  }
}
