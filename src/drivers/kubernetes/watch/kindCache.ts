// The objects of one kind, kept current by a watch. A watch can end, expire or fall silent, so the loop starts it again and
// also lists everything from time to time.
import type { Clock } from '../../../foundation/clock.ts';
import { MINUTE, SECOND } from '../../../foundation/clock.ts';
import { reasonOf } from '../../../foundation/errors.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import type { WatchEvent } from './watchLines.ts';
import { readWatch } from './watchLines.ts';

const LIST_EVERY_MS = 30 * SECOND;
const RETRY_AFTER_MS = SECOND;
/** Without callers for this long, nothing is watched. */
const IDLE_AFTER_MS = MINUTE;
/** Objects that could not be refreshed for this long are not trusted any more. */
const TRUSTED_FOR_MS = 45 * SECOND;

export interface KindCacheOptions {
  readonly api: Pick<ClusterApi, 'list' | 'watch'>;
  readonly kind: string;
  readonly selector: string | undefined;
  readonly clock: Clock;
}

/** Managed fields are half of an object, and are only needed where it is read to be changed. */
function slim(object: ClusterObject): ClusterObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function createKindCache({ api, kind, selector, clock }: KindCacheOptions) {
  const objects = new Map<string, ClusterObject>();
  let usedAt = clock.now();
  let freshAt: number | undefined;
  let trouble: string | undefined;
  let running: AbortController | undefined;
  let waiting: (() => void)[] = [];

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  async function list(signal: AbortSignal): Promise<string> {
    const { items, version } = await api.list(kind, selector, signal);
    objects.clear();
    for (const object of items) objects.set(object.metadata.name, slim(object));
    freshAt = clock.now();
    trouble = undefined;
    wake();
    return version;
  }

  function apply({ type, object }: WatchEvent): void {
    if (type === 'DELETED') objects.delete(object.metadata.name);
    else objects.set(object.metadata.name, slim(object));
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
        trouble = reasonOf(error);
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
    async objects(signal?: AbortSignal): Promise<readonly ClusterObject[]> {
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
      if (!isTrusted()) throw new Error(trouble ?? `the cluster does not show its objects of the kind ${kind}`);
      return [...objects.values()];
    },

    stop,
  };
}
