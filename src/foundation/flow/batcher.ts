export interface BatcherOptions<T, R> {
  /** Commits items together and returns one result for each, in the same order. */
  readonly commit: (items: readonly T[]) => Promise<readonly R[]>;
  readonly weightOf?: (item: T) => number;
  /** The limit of one batch. An item that is heavier than this forms a batch alone. */
  readonly maxWeight?: number;
  /** After a failed batch, rejects every later item with the same error instead of committing it. */
  readonly stopsAfterFailure?: boolean;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers calls while the previous batch is being committed, and commits them together, in the order of the calls. The first
 * call starts its commit at once, so an idle batcher adds no delay.
 */
export function createBatcher<T, R>({
  commit,
  weightOf = () => 1,
  maxWeight = Number.POSITIVE_INFINITY,
  stopsAfterFailure = false,
}: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let isCommitting = false;
  let failure: { readonly error: unknown } | undefined;

  function takeBatch(): readonly Waiting<T, R>[] {
    let [weight, count] = [0, 0];
    for (const { item } of waiting) {
      weight += weightOf(item);
      if (count > 0 && weight > maxWeight) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function commitBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      if (failure !== undefined) throw failure.error;
      const results = await commit(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error(`${results.length} results for ${batch.length} items`);
      for (const [n, result] of results.entries()) batch[n]?.resolve(result);
    } catch (error) {
      if (stopsAfterFailure) failure = { error };
      for (const { reject } of batch) reject(error);
    }
  }

  async function commitAll(): Promise<void> {
    isCommitting = true;
    while (waiting.length > 0) await commitBatch(takeBatch());
    isCommitting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isCommitting) void commitAll();
    });
}
