import type { Control } from './control.ts';
import type { Failed } from './calls/performer.ts';

/** Runs up to `parallel` items at a time. After the first failure no new item starts, and running ones are stopped. */
export async function inParallel<T>(
  items: readonly T[],
  parallel: number,
  control: Control,
  work: (item: T) => Promise<Failed | undefined>,
): Promise<Failed | undefined> {
  const waiting = [...items];
  let first: Failed | undefined;
  const workers = Array.from({ length: Math.min(parallel, items.length) }, async () => {
    while (control.mayContinue()) {
      const item = waiting.shift();
      if (item === undefined) return;
      const failed = await work(item);
      if (failed === undefined) continue;
      first ??= failed;
      control.stop();
    }
  });
  await Promise.all(workers);
  return first;
}
