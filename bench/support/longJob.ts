// A job with many messages, written through Steward's own store; and what one more message costs who reads its status.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Place } from './places.ts';

const AT_ONCE = 500;
const VERSION = { version: '11.1', build: '2400' };

/** What is used here of what is built. */
interface JobStore {
  addJob(by: unknown, decide: () => object): Promise<{ readonly id: string }>;
  claimJob(
    owner: string,
    kinds: readonly string[],
    now: number,
    leaseUntil: number,
  ): Promise<{ readonly lease: object } | undefined>;
  append(lease: object, progress: object): Promise<string>;
  entries(id: string, after: number): Promise<readonly object[]>;
}
interface Store {
  readonly jobs: JobStore;
  readonly revisions: { watch(topic: string, listener: () => void): void };
  close(): Promise<void>;
}
interface Feed {
  read(id: string): Promise<object>;
  invalidate(): void;
}
interface Built {
  openStore(place: object, needs: object): Promise<Store>;
  newJob(job: object): object;
  newId(): string;
  localActor(name: string): unknown;
  createFeed(needs: object): Feed;
  createStatusBytes(): (snapshot: object) => { bytes(format: 'json'): Buffer };
  readonly systemClock: { now(): number };
  readonly silentLog: unknown;
}

const FILES = [
  'store/store',
  'jobs/jobStore',
  'jobs/jobFeed',
  'http/admin/upgrades/upgradeStatus',
  'foundation/ids',
  'model/actor',
  'foundation/clock',
  'foundation/log',
];

async function load(project: string): Promise<Built> {
  const modules: unknown[] = await Promise.all(
    FILES.map((file) => import(pathToFileURL(join(project, 'dist', `${file}.js`)).href) as Promise<unknown>),
  );
  return Object.assign({}, ...modules) as Built;
}

function said(n: number): object {
  const workload = `workload-${n % 1000}`;
  const image = `registry.demo.invalid/product/${workload}:11.1@sha256:${String(n).padStart(64, '0')}`;
  return { code: 2038, text: `The workload ${workload} was told to run the image ${image}.`, mark: `bench:${n}` };
}

export interface LongJob {
  /** CPU time until the bytes of the status are there again after one more message, in ms each. */
  readMore(times: number): Promise<readonly number[]>;
  /** How many messages these reads have asked the store for. */
  asked(): number;
  end(): Promise<void>;
}

/** A job with so many messages. It is never worked on; its end closes the store. */
export async function openLongJob(project: string, { data, postgres }: Place, messages: number): Promise<LongJob> {
  const built = await load(project);
  const { systemClock: clock, silentLog: log } = built;
  const at =
    postgres === undefined
      ? { kind: 'sqlite', at: join(data, 'steward.db'), connections: 1 }
      : { kind: 'postgres', at: postgres, connections: 10 };
  const store = await built.openStore(at, { clock, log });
  const task = { versionId: 'rel_11.1', from: VERSION, to: VERSION, volumes: {}, isSimulated: true };
  const cursor = { attempt: 0, isPastReturn: false, modeBefore: { isReadOnly: false, message: '', setBy: 'hand' } };
  const now = clock.now();
  const job = { id: built.newId(), kind: 'upgrade', task, cursor, total: messages, startedBy: 'bench', started: now };
  const change = built.newJob({ ...job, phase: 'release' });
  const { id } = await store.jobs.addJob(built.localActor('bench'), () => ({ change, announce: [], audit: [] }));
  const claimed = await store.jobs.claimJob('bench', ['upgrade'], now, now + 3_600_000);
  if (claimed === undefined) throw new Error('the job could not be claimed');
  const { lease } = claimed;
  const append = async (from: number, count: number): Promise<void> => {
    const say = Array.from({ length: count }, (_, n) => said(from + n));
    if ((await store.jobs.append(lease, { say, done: from })) !== 'written') throw new Error('the job was lost');
  };
  for (let from = 0; from < messages; from += AT_ONCE) await append(from, Math.min(AT_ONCE, messages - from));

  let asked = 0;
  const counting = {
    ...store.jobs,
    entries: async (...args: Parameters<JobStore['entries']>) => {
      const found = await store.jobs.entries(...args);
      asked += found.length;
      return found;
    },
  };
  return {
    async readMore(times) {
      const feed = built.createFeed({ store: counting });
      const bytesOf = built.createStatusBytes();
      const took: number[] = [];
      for (let n = 0; n <= times; n += 1) {
        if (n === 1) asked = 0;
        await append(messages + n, 1);
        feed.invalidate();
        const before = process.cpuUsage();
        bytesOf(await feed.read(id)).bytes('json');
        const { user, system } = process.cpuUsage(before);
        if (n > 0) took.push((user + system) / 1000);
      }
      return took;
    },
    asked: () => asked,
    async end() {
      await store.jobs.append(lease, { state: 'succeeded', done: messages });
      await store.close();
    },
  };
}
