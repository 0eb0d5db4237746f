import type { Spread } from './statistics.ts';
import { best, worst } from './statistics.ts';

export interface Bar {
  readonly name: string;
  readonly measured: number;
  readonly atMost: number;
  readonly unit: string;
}

export const say = (text: string): void => void process.stdout.write(`${text}\n`);
export const progress = (text: string): void => void process.stderr.write(`${text}\n`);
export const isMissed = ({ measured, atMost }: Bar): boolean => !(measured <= atMost);

export function row(name: string, ...cells: readonly string[]): string {
  return name.padEnd(38) + cells.map((cell) => cell.padStart(12)).join('');
}

/** Median, 99th percentile and maximum. */
export const spreadCells = ({ p50, p99, longest }: Spread): readonly string[] =>
  [p50, p99, longest].map((ms) => `${ms.toFixed(1)} ms`);

/** What the requests of a server or a sender cost, one value for each round. */
export interface Cost {
  readonly microseconds: readonly number[];
  readonly perSecond: readonly number[];
}

/** The best CPU time, its ratio to the baseline if there is one, the worst, and the best rate. */
export function costCells({ microseconds, perSecond }: Cost, baseline?: Cost): readonly string[] {
  const least = best(microseconds);
  const ratio = baseline === undefined ? [] : [(least / best(baseline.microseconds)).toFixed(2)];
  return [least.toFixed(1), ...ratio, worst(microseconds).toFixed(1), worst(perSecond).toFixed(0)];
}

/** How many times the CPU time of the baseline it takes. */
export const costRatio = (cost: Cost, baseline: Cost): number => best(cost.microseconds) / best(baseline.microseconds);

const DIGITS: Readonly<Record<string, number>> = { x: 2, ms: 1, s: 1 };

export function printBars(bars: readonly Bar[]): void {
  say(`\n${row('bar', 'measured', 'at most')}`);
  for (const bar of bars) {
    const cells = [bar.measured, bar.atMost].map((value) => `${value.toFixed(DIGITS[bar.unit] ?? 0)} ${bar.unit}`);
    say(row(bar.name, ...cells, isMissed(bar) ? 'MISSED' : 'ok'));
  }
}
