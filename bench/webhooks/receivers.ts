// Receivers of webhooks, one origin each, all in one separate process. They count, they remember when each message
// arrived, and some of them can be made to hang.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { childProgram } from '../harness/processes/childProgram.ts';
import { listenOnFreePort } from '../harness/processes/childServer.ts';
import { monotonicMs } from '../harness/measure/monotonicClock.ts';

const OK = 'ok';
const POLL_EVERY_MS = 20;
const SILENT_AT_MOST_MS = 15_000;

type Request =
  | { readonly kind: 'count' | 'arrivals' | 'reset' }
  /** These receivers do not answer from now on, and all others do. The requests that were held are answered. */
  | { readonly kind: 'hang'; readonly receivers: readonly number[] };

interface Counts {
  readonly requests: number;
  readonly unsigned: number;
  /** Messages that arrived more than once. */
  readonly repeated: number;
}

interface Reply extends Counts {
  readonly origins: readonly string[];
  /** When each message arrived first, by its id; empty unless requested. */
  readonly arrivals: ReadonlyMap<string, number>;
}

const start = childProgram(import.meta.filename, async (howMany: number) => {
  let counts = { requests: 0, unsigned: 0, repeated: 0 };
  let arrivals = new Map<string, number>();
  let hanging: readonly number[] = [];
  let held: ServerResponse[] = [];

  function count({ headers }: IncomingMessage): void {
    const id = headers['webhook-id'];
    counts.requests += 1;
    if (headers['webhook-signature'] === undefined) counts.unsigned += 1;
    if (typeof id !== 'string') return;
    if (arrivals.has(id)) counts.repeated += 1;
    else arrivals.set(id, monotonicMs());
  }

  const listen = (n: number): Promise<string> =>
    listenOnFreePort(
      createServer((request, response) => {
        request.resume().on('end', () => {
          count(request);
          if (hanging.includes(n)) held.push(response);
          else response.end(OK);
        });
      }),
    );

  const origins = await Promise.all(Array.from({ length: howMany }, (_, n) => listen(n)));
  return (request: Request): Reply => {
    if (request.kind === 'reset') {
      counts = { requests: 0, unsigned: 0, repeated: 0 };
      arrivals = new Map();
    }
    if (request.kind === 'hang') {
      hanging = request.receivers;
      for (const response of held) response.end(OK);
      held = [];
    }
    return { ...counts, origins, arrivals: request.kind === 'arrivals' ? arrivals : new Map() };
  };
});

export interface Receivers {
  readonly origins: readonly string[];
  count(): Promise<Counts>;
  arrivals(): Promise<ReadonlyMap<string, number>>;
  reset(): Promise<void>;
  /** All others answer. */
  hang(receivers: readonly number[]): Promise<void>;
  /** Resolves when this many requests have arrived. */
  reach(requests: number): Promise<void>;
  end(): Promise<void>;
}

export async function startReceivers(howMany: number): Promise<Receivers> {
  const child = start(howMany);
  const count = () => child.ask({ kind: 'count' });
  const { origins } = await count();
  return {
    origins,
    count,
    arrivals: async () => (await child.ask({ kind: 'arrivals' })).arrivals,
    reset: async () => void (await child.ask({ kind: 'reset' })),
    hang: async (receivers) => void (await child.ask({ kind: 'hang', receivers })),
    async reach(expected) {
      let [last, since] = [-1, performance.now()];
      for (;;) {
        const { requests } = await count();
        if (requests >= expected) return;
        if (requests !== last) [last, since] = [requests, performance.now()];
        if (performance.now() - since > SILENT_AT_MOST_MS)
          throw new Error(`only ${requests} of ${expected} deliveries arrived`);
        await sleep(POLL_EVERY_MS);
      }
    },
    end: child.end,
  };
}
