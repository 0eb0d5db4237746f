// A job library in a process of the benchmark, with its best documented settings. It queues jobs, works them off, or both.
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../harness/measure/monotonicClock.ts';
import { childProgram } from '../harness/processes/childProgram.ts';
import type { PeerJob } from './peerSender.ts';
import { openPeerSender, peerJob } from './peerSender.ts';

export type Library = 'graphile-worker' | 'pg-boss';

interface Options {
  readonly library: Library;
  readonly database: string;
  readonly origins: readonly string[];
  /** One queue for each webhook, or one for all. */
  readonly isQueuePerWebhook: boolean;
}

type Request =
  | { readonly kind: 'fill'; readonly jobs: number }
  | { readonly kind: 'work' }
  /** Queues jobs one by one at fixed times. `order` has the number of the receiver of each. */
  | { readonly kind: 'send'; readonly from: number; readonly order: readonly number[]; readonly perSecond: number };

export interface SentJob {
  readonly id: string;
  readonly index: number;
  readonly intended: number;
}

interface Queue {
  add(jobs: readonly PeerJob[]): Promise<void>;
  work(deliver: (job: PeerJob) => Promise<void>): Promise<void>;
}

const AT_ONCE = 1000;
const CONCURRENT = 100;
const CONNECTIONS = 10;

async function openGraphile({ database, isQueuePerWebhook }: Options): Promise<Queue> {
  const { Logger, makeWorkerUtils, run } = await import('graphile-worker');
  const logger = new Logger(() => () => undefined);
  const utilities = await makeWorkerUtils({ connectionString: database, logger });
  await utilities.migrate();
  return {
    async add(jobs) {
      await utilities.addJobs(
        jobs.map((payload) => ({
          identifier: 'deliver',
          payload,
          // Jobs of a named queue run one after the other.
          ...(isQueuePerWebhook && { queueName: payload.origin }),
        })),
      );
    },
    async work(deliver) {
      await run({
        connectionString: database,
        logger,
        noHandleSignals: true,
        taskList: { deliver: (payload) => deliver(payload as PeerJob) },
        preset: {
          worker: {
            concurrentJobs: CONCURRENT,
            maxPoolSize: CONNECTIONS,
            localQueue: { size: 5 * CONCURRENT },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
    },
  };
}

async function openPgBoss({ database, origins, isQueuePerWebhook }: Options): Promise<Queue> {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({ connectionString: database, max: CONNECTIONS, schedule: false, useListenNotify: true });
  await boss.start();
  const nameOf = (origin: string): string => (isQueuePerWebhook ? `deliver_${origins.indexOf(origin)}` : 'deliver');
  const names = [...new Set(origins.map(nameOf))];
  for (const name of names) await boss.createQueue(name, { notify: true });
  return {
    async add(jobs) {
      for (const name of names) {
        const own = jobs.filter(({ origin }) => nameOf(origin) === name);
        if (own.length > 0)
          await boss.insert(
            name,
            own.map((data) => ({ data })),
          );
      }
    },
    async work(deliver) {
      const batchSize = isQueuePerWebhook ? 16 : CONCURRENT;
      for (const name of names)
        await boss.work<PeerJob>(
          name,
          { batchSize, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
          async (jobs) => {
            await Promise.all(jobs.map(({ data }) => deliver(data)));
          },
        );
    },
  };
}

const OPEN = { 'graphile-worker': openGraphile, 'pg-boss': openPgBoss };

/** Starts the process. Only `send` returns anything. */
export const startPeerWorker = childProgram(import.meta.filename, async (options: Options) => {
  const { origins } = options;
  const queue = await OPEN[options.library](options);
  return async (request: Request): Promise<readonly SentJob[]> => {
    if (request.kind === 'work') {
      await queue.work(await openPeerSender(options.database));
      return [];
    }
    if (request.kind === 'fill') {
      for (let from = 0; from < request.jobs; from += AT_ONCE)
        await queue.add(Array.from({ length: AT_ONCE }, (_, n) => peerJob(from + n, origins)));
      return [];
    }
    const { order, perSecond } = request;
    const began = monotonicMs();
    const sent: SentJob[] = [];
    const added: Promise<void>[] = [];
    while (sent.length < order.length) {
      const intended = began + (sent.length * 1000) / perSecond;
      if (intended > monotonicMs()) {
        await sleep(1);
        continue;
      }
      const index = order[sent.length] ?? 0;
      const job = { ...peerJob(index, origins), id: `evt_${request.from + sent.length}` };
      added.push(queue.add([job]));
      sent.push({ id: job.id, index, intended });
    }
    await Promise.all(added);
    return sent;
  };
});
