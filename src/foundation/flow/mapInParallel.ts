/** Enough to be fast with many items, and not enough for a server to throttle. */
const PARALLEL = 8;

/** Calls the function for each item, a few at a time, and returns the answers in the order of the items. */
export async function mapInParallel<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [n, item] of queue) answers[n] = await call(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return answers;
}
