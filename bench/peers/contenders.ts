// Steward on both stores, and job libraries in both ways of queueing, behind one interface.
import type { StoreName } from '../harness/processes/installations.ts';
import { OVER_TLS } from '../harness/processes/installations.ts';
import type { Fixtures } from '../webhooks/fixtures.ts';
import { sendEvents, subscribeAll } from '../webhooks/fixtures.ts';
import type { Library, SentJob } from './peerWorker.ts';
import { startPeerWorker } from './peerWorker.ts';

export interface RunningContender {
  readonly pid: number;
  /** Sends events one by one at fixed times; `order` has the number of the receiver of each. */
  send(order: readonly number[], perSecond: number): Promise<readonly SentJob[]>;
  end(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** How many deliveries it works off in the part `drain`. */
  readonly backlog: number;
  /** Whether several processes can work on one store. */
  readonly hasReplicas: boolean;
  /** Prepares a new store with this many deliveries that wait, and returns how to start a process on it. */
  prepare(run: string, origins: readonly string[], waiting: number): Promise<() => Promise<RunningContender>>;
}

const BACKLOG = 20_000;
/** graphile-worker looks at all jobs of busy queues for each job that it takes: of 20,000, few arrive within minutes. */
const SHORT_BACKLOG = 2000;

function steward(fixtures: Fixtures, store: StoreName | typeof OVER_TLS): Contender {
  return {
    name: `Steward on ${store}`,
    backlog: BACKLOG,
    hasReplicas: store !== 'SQLite',
    async prepare(run, origins, waiting) {
      const installation = await fixtures.create(
        store,
        `peers_steward_${store.toLowerCase().replaceAll(' ', '_')}_${run}`,
      );
      if (waiting > 0) await fixtures.backlog.ask({ kind: 'fill', installation, origins, events: waiting });
      return async () => {
        const running = await fixtures.start(installation);
        if (waiting === 0) await subscribeAll(running, origins);
        return { ...running, send: (order, perSecond) => sendEvents(fixtures, running, { order, perSecond }) };
      };
    },
  };
}

/** Jobs of one library. With a queue for each webhook, a receiver that hangs can block its own queue only. */
function peer(fixtures: Fixtures, library: Library, isQueuePerWebhook: boolean): Contender {
  const queues = isQueuePerWebhook ? 'queue per webhook' : 'one queue';
  return {
    name: `${library}, ${queues}`,
    backlog: library === 'graphile-worker' && isQueuePerWebhook ? SHORT_BACKLOG : BACKLOG,
    hasReplicas: true,
    async prepare(run, origins, waiting) {
      const name = `peers_${library.replace('-', '_')}_${isQueuePerWebhook ? 'each' : 'one'}_${run}`;
      const { store } = await fixtures.create('PostgreSQL', name);
      const options = { library, database: store.at, origins, isQueuePerWebhook };
      const filler = startPeerWorker(options);
      await filler.ask({ kind: 'fill', jobs: waiting });
      await filler.end();
      let sentSoFar = 0;
      return async () => {
        const { pid, ask, end } = startPeerWorker(options);
        await ask({ kind: 'work' });
        return {
          pid,
          end,
          send(order, perSecond) {
            const from = waiting + sentSoFar;
            sentSoFar += order.length;
            return ask({ kind: 'send', from, order, perSecond });
          },
        };
      };
    },
  };
}

/** The same Steward over TLS, to see what TLS costs. The libraries have no TLS in any part. */
export function stewardOverTls(fixtures: Fixtures): Contender {
  return steward(fixtures, OVER_TLS);
}

export const GRAPHILE = 'graphile-worker, one queue';

export function contenders(fixtures: Fixtures): readonly Contender[] {
  return [
    steward(fixtures, 'PostgreSQL'),
    steward(fixtures, 'SQLite'),
    peer(fixtures, 'graphile-worker', false),
    peer(fixtures, 'graphile-worker', true),
    peer(fixtures, 'pg-boss', false),
    peer(fixtures, 'pg-boss', true),
  ];
}
