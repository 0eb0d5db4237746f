// The objects of one kind, kept current by a watch. A watch can end, expire or fall silent, so the loop starts it again and
// also lists everything from time to time.
import type { Clock } from '../../../foundation/clock.ts';
import { MINUTE, SECOND } from '../../../foundation/clock.ts';
import { missingRight } from '../api/apiError.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import type { WatchEvent } from './watchLines.ts';
import { readWatch } from './watchLines.ts';

const LIST_EVERY_MS = 30 * SECOND;
const RETRY_AFTER_MS = SECOND;
/** Without callers for this long, nothing is watched. */
const IDLE_AFTER_MS = MINUTE;
/** Objects that could not be refreshed for this long are not trusted any more. */
const TRUSTED_FOR_MS = 45 * SECOND;

export interface KindCacheOptions<T> {
  readonly api: Pick<ClusterApi, 'listAs' | 'watch'>;
  readonly kind: string;
  readonly selector: string | undefined;
  /** What is kept of an object. */
  readonly read: (object: ClusterObject) => T;
  readonly clock: Clock;
}

export function createKindCache<T>({ api, kind, selector, read, clock }: KindCacheOptions<T>) {
  const objects = new Map<string, T>();
  let usedAt = clock.now();
  let freshAt: number | undefined;
  let trouble: unknown;
  let running: AbortController | undefined;
  let waiting: (() => void)[] = [];

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  function named(object: ClusterObject): readonly [string, T] {
    return [object.metadata.name, read(object)];
  }

  async function list(signal: AbortSignal): Promise<string> {
    const { items, version } = await api.listAs(kind, selector, named, signal);
    objects.clear();
    for (const [name, object] of items) objects.set(name, object);
    freshAt = clock.now();
    trouble = undefined;
    wake();
    return version;
  }

  function apply({ type, object }: WatchEvent): void {
    if (type === 'DELETED') objects.delete(object.metadata.name);
    else objects.set(object.metadata.name, read(object));
  }

  function noteSign(): void {
    freshAt = clock.now();
  }

  /** Lists once, and then watches until the next list is due or the watch ends. */
  async function follow(signal: AbortSignal): Promise<void> {
    const version = await list(signal);
    const due = new AbortController();
    const either = AbortSignal.any([signal, due.signal]);
    void clock.sleep(LIST_EVERY_MS, either).then(() => due.abort());
    try {
      await readWatch(await api.watch(kind, selector, version, either), apply, noteSign);
    } catch (error) {
      if (!either.aborted) throw error;
    } finally {
      due.abort();
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && clock.now() - usedAt < IDLE_AFTER_MS) {
      try {
        await follow(signal);
      } catch (error) {
        trouble = error;
        // A right that is missing does not come back by itself, and what was seen before explains nothing.
        if (missingRight(error) !== undefined) freshAt = undefined;
        wake();
        await clock.sleep(RETRY_AFTER_MS, signal);
      }
    }
    stop();
  }

  function stop(): void {
    running?.abort();
    running = undefined;
    freshAt = undefined;
    objects.clear();
    wake();
  }

  function isTrusted(): boolean {
    return freshAt !== undefined && clock.now() - freshAt < TRUSTED_FOR_MS;
  }

  return {
    /** The objects as they were a moment ago. Throws if they are not known, or could not be refreshed for long. */
    async objects(signal?: AbortSignal): Promise<readonly T[]> {
      usedAt = clock.now();
      if (running === undefined) {
        running = new AbortController();
        trouble = undefined;
        void run(running.signal);
      }
      if (freshAt === undefined && trouble === undefined) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
        signal?.throwIfAborted();
      }
      if (!isTrusted()) throw trouble ?? new Error(`the cluster does not show its objects of the kind ${kind}`);
      return [...objects.values()];
    },

    /** An object as it was a moment ago. Does not start to watch. */
    known: (name: string): T | undefined => (isTrusted() ? objects.get(name) : undefined),

    stop,
  };
}
