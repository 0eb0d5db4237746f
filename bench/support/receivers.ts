import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startHelper } from './helper.ts';

export type AboutReceivers =
  | { readonly kind: 'count' | 'arrivals' | 'reset' }
  /** This one answers nothing from now on, and every other one does; -1 for none. What it held is answered. */
  | { readonly kind: 'hang'; readonly receiver: number };

export interface Received {
  readonly origins: readonly string[];
  readonly requests: number;
  readonly bytes: number;
  readonly unsigned: number;
  /** Messages that came more than once. */
  readonly repeated: number;
  /** When each message came first, by its id; only where it is asked for. */
  readonly arrivals: ReadonlyMap<string, number>;
}

export interface Receivers {
  readonly origins: readonly string[];
  count(): Promise<Received>;
  arrivals(): Promise<ReadonlyMap<string, number>>;
  reset(): Promise<void>;
  hang(receiver: number): Promise<void>;
  /** Resolves when so many have come. */
  reach(requests: number): Promise<void>;
  end(): void;
}

const LOOK_EVERY_MS = 20;
const SILENT_AT_MOST_MS = 15_000;

export async function startReceivers(howMany: number): Promise<Receivers> {
  const helper = startHelper<AboutReceivers, Received>(
    fileURLToPath(import.meta.resolve('./receiving.js')),
    String(howMany),
  );
  const count = () => helper.ask({ kind: 'count' });
  const { origins } = await count();
  return {
    origins,
    count,
    arrivals: async () => (await helper.ask({ kind: 'arrivals' })).arrivals,
    reset: async () => void (await helper.ask({ kind: 'reset' })),
    hang: async (receiver) => void (await helper.ask({ kind: 'hang', receiver })),
    async reach(wanted) {
      let [last, since] = [-1, performance.now()];
      for (;;) {
        const { requests } = await count();
        if (requests >= wanted) return;
        if (requests !== last) [last, since] = [requests, performance.now()];
        if (performance.now() - since > SILENT_AT_MOST_MS)
          throw new Error(`only ${requests} of ${wanted} deliveries arrived`);
        await sleep(LOOK_EVERY_MS);
      }
    },
    end: helper.end,
  };
}
