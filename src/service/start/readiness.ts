import { SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Store } from '../../store/store.ts';
import type { DiskWatch } from './diskWatch.ts';

const READY_WITHIN_MS = 2 * SECOND;

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates the function that names what keeps this replica from serving: an empty list if it is ready. */
export function createReadiness({
  store,
  disk,
  watermarkMib,
  isStopping,
}: {
  readonly store: Store;
  readonly disk: DiskWatch;
  readonly watermarkMib: number;
  readonly isStopping: () => boolean;
}): () => Promise<readonly string[]> {
  return async () => {
    const ofStore = await withTimeout(READY_WITHIN_MS, store.obstacles()).catch((error: unknown) => [
      `the store does not answer: ${reasonOf(error)}`,
    ]);
    return [
      ...ofStore,
      ...(disk.isLow() ? [`less than ${watermarkMib} MiB of disk are free in the data folder`] : []),
      ...(isStopping() ? ['the server is stopping'] : []),
    ];
  };
}
