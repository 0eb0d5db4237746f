/** Of values that are sorted. */
function at(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { count: sorted.length, p50: at(sorted, 0.5), p99: at(sorted, 0.99), longest: at(sorted, 1) };
}

export const spreadCells = ({ p50, p99, longest }: Spread): readonly string[] =>
  [p50, p99, longest].map((ms) => `${ms.toFixed(1)} ms`);
