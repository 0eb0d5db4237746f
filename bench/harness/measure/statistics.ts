export const best = (values: readonly number[]): number => Math.min(...values);
export const worst = (values: readonly number[]): number => Math.max(...values);
export const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >>> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

const RATIO_AT_MOST = 1.6;

/** Describes rounds of a baseline that differ so much that a comparison with it is worthless. */
export function unsteadyRounds(baseline: string, ...series: readonly (readonly number[])[]): string | undefined {
  const ratio = worst(series.map((rounds) => worst(rounds) / best(rounds)));
  return ratio > RATIO_AT_MOST ? `the rounds of ${baseline} differ by ${ratio.toFixed(2)} x` : undefined;
}
