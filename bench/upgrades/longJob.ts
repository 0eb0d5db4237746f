// A job with many messages, written through Steward's own store, to measure what one more message costs its readers.
import { systemClock as clock } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/ids.ts';
import { silentLog as log } from '../../src/foundation/log.ts';
import { createStatusBytes } from '../../src/http/admin/upgrades/upgradeStatus.ts';
import { createJobFeed } from '../../src/jobs/jobFeed.ts';
import type { JobStore, Lease, Message } from '../../src/jobs/jobStore.ts';
import { newJob } from '../../src/jobs/jobStore.ts';
import { localActor } from '../../src/model/actor.ts';
import { openStore } from '../../src/store/store.ts';
import { message } from '../../src/upgrades/journal/messageText.ts';
import type { Cursor, Task } from '../../src/upgrades/values/task.ts';
import type { Installation } from '../harness/processes/installations.ts';

const AT_ONCE = 500;
const LEASE_MS = 3_600_000;
const VERSION = { version: '11.1', build: '2400' };
const TASK: Task = {
  versionId: 'rel_11.1',
  from: VERSION,
  to: VERSION,
  volumes: {},
  licenceUpload: undefined,
  licenceHash: undefined,
  planHash: undefined,
  expectedPlan: undefined,
  isRestorePointWaived: false,
  isSimulated: true,
  removes: undefined,
};
const CURSOR: Cursor = { isPastReturn: false };

export interface LongJob {
  /** Adds one message after the other, and returns the CPU time that each next status took, in ms. */
  readAfterEach(times: number): Promise<readonly number[]>;
  /** How many messages these reads have fetched from the store. */
  fetched(): number;
  /** Ends the job and closes the store. */
  end(): Promise<void>;
}

async function startJob(jobs: JobStore, total: number): Promise<{ readonly id: string; readonly lease: Lease }> {
  const now = clock.now();
  const kind = 'upgrade';
  const job = { id: newId(), kind, task: TASK, cursor: CURSOR, total, startedBy: 'bench', started: now };
  const change = newJob({ ...job, phase: 'release' });
  await jobs.addJob(localActor('bench'), () => ({ change, announce: [], audit: [] }));
  const claimed = await jobs.claimJob('bench', [kind], now, now + LEASE_MS);
  if (claimed === undefined) throw new Error('the job could not be claimed');
  return { id: job.id, lease: claimed.lease };
}

function messageOf(n: number): Message {
  const workload = `workload-${n % 1000}`;
  const image = `registry.demo.invalid/product/${workload}:11.1@sha256:${String(n).padStart(64, '0')}`;
  return message('workloadUpdated', { workload, image });
}

async function append(jobs: JobStore, lease: Lease, from: number, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, n) => messageOf(from + n));
  if ((await jobs.append(lease, () => ({ messages, done: from }))) !== 'written') throw new Error('the job was lost');
}

/** Creates a job with this many messages. No runner works on it. */
export async function openLongJob({ store: place }: Installation, messages: number): Promise<LongJob> {
  const { jobs, close } = await openStore(place, { clock, log });
  const { id, lease } = await startJob(jobs, messages);
  for (let from = 0; from < messages; from += AT_ONCE)
    await append(jobs, lease, from, Math.min(AT_ONCE, messages - from));

  let fetched = 0;
  const counting: JobStore = {
    ...jobs,
    async messages(...args) {
      const found = await jobs.messages(...args);
      fetched += found.length;
      return found;
    },
  };
  return {
    async readAfterEach(times) {
      const feed = createJobFeed({ store: counting, catchUp: async () => undefined });
      const bytesOf = createStatusBytes();
      const took: number[] = [];
      // The first read fetches all messages; it is not measured.
      for (let n = 0; n <= times; n += 1) {
        if (n === 1) fetched = 0;
        await append(jobs, lease, messages + n, 1);
        feed.invalidate();
        const before = process.cpuUsage();
        bytesOf(await feed.read(id)).bytes('json');
        const { user, system } = process.cpuUsage(before);
        if (n > 0) took.push((user + system) / 1000);
      }
      return took;
    },
    fetched: () => fetched,
    async end() {
      await jobs.append(lease, () => ({ state: 'succeeded', done: messages }));
      await close();
    },
  };
}
