/** Counts measurements. `within[n]` counts those above the bound before `bounds[n]`, up to and including `bounds[n]`. */
export function createHistogram(bounds: readonly number[]) {
  const within = bounds.map(() => 0);
  let [count, sum] = [0, 0];
  return {
    record(value: number): void {
      count += 1;
      sum += value;
      const bound = bounds.findIndex((most) => value <= most);
      if (bound !== -1) within[bound] = (within[bound] ?? 0) + 1;
    },
    read: () => ({ bounds, within, count, sum }),
  };
}

export type Histogram = ReturnType<typeof createHistogram>;
