// Replicas under load and a receiver that answers everything correctly, for tests that disturb the replicas. The receiver has the ledger:
// at the end it tells whether every event arrived, what was sent twice, and whether it was charged for what it did not do.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { TestContext } from 'vitest';
import { expect } from 'vitest';
import type { StoreLocation } from '../../../src/store/store.ts';
import { IS_SOAK } from '../run/limits.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { randomPause, until } from '../run/until.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { startSteward, storeSetting } from '../server/stewardProcess.ts';
import type { Repeat } from './deliveryChecks.ts';
import { attemptsIn, expectConsistentDeliveries, repeatsIn } from './deliveryChecks.ts';
import type { EventSender } from './eventSender.ts';
import { startSending } from './eventSender.ts';
import type { RecordingReceiver } from './recordingReceiver.ts';
import { startRecordingReceiver } from './recordingReceiver.ts';
import type { Claim, Policy, WebhookSetup } from './webhookSetup.ts';
import {
  FAILING_PATH,
  SERVICE,
  STEADY_PATH,
  arrivedIn,
  setUpWebhooks,
  show,
  unsettled,
  untilDelivered,
} from './webhookSetup.ts';

/** How many requests one process sends to one webhook at a time. */
const SLOTS = 16;

export interface ReplicaOptions {
  /** The address of its store, if it is not the one of the run. */
  readonly storeUrl?: string;
  readonly command?: readonly [file: string, ...args: string[]];
}

export interface RunOptions {
  readonly place: StoreLocation;
  readonly policy: Policy;
  readonly replicas: readonly ReplicaOptions[];
  /** The receiver takes up to this time for an answer. */
  readonly slowestAnswerMs: number;
  readonly clients?: number;
}

/** A time in which replicas could not work, and what was claimed when it began. */
export interface Disturbance {
  readonly from: number;
  readonly to: number;
  readonly claims: readonly Claim[];
  readonly replicas: number;
}

export interface DisturbedRun {
  readonly place: StoreLocation;
  readonly policy: Policy;
  readonly replicas: readonly StewardProcess[];
  readonly receiver: RecordingReceiver;
  readonly scene: WebhookSetup;
  readonly sender: EventSender;
  /** The clients of the sender use these replicas from now on. */
  sendTo(replicas: readonly StewardProcess[]): void;
  /** Waits until this many more requests have arrived. */
  goOn(requests: number): Promise<void>;
  /** Stops sending and waits until nothing is pending. */
  finish(): Promise<void>;
}

/** Starts the replicas one after the other, and clients that publish until the end. */
export async function startDisturbedRun({ onTestFinished }: TestContext, options: RunOptions): Promise<DisturbedRun> {
  const { policy, slowestAnswerMs, clients = 4 } = options;
  const folder = temporaryFolder();
  writeFileSync(`${folder.path}/master.key`, randomBytes(32).toString('base64'), { mode: 0o600 });
  const receiver = await startRecordingReceiver(async ({ path, mustFail }) => {
    await randomPause(slowestAnswerMs);
    return mustFail && path === FAILING_PATH ? 500 : 200;
  });
  const replicas: StewardProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(replicas.map((one) => one.end('SIGKILL')));
    await receiver.close();
    folder.remove();
  });
  for (const [n, { storeUrl = storeSetting(options.place), command }] of options.replicas.entries()) {
    const env = { STEWARD_STORE: storeUrl, STEWARD_MASTER_KEY_FILE: `${folder.path}/master.key` };
    const how = command === undefined ? {} : { command };
    replicas.push(await startSteward({ data: `${folder.path}/${n}`, env, ...how }));
  }
  const [first] = replicas;
  if (first === undefined) throw new Error('A run needs a replica.');
  const scene = await setUpWebhooks(first, receiver, policy, [FAILING_PATH, STEADY_PATH]);
  let used: readonly StewardProcess[] = replicas;
  const arrived = (): number => arrivedIn(scene, receiver);
  const sender = startSending({ token: scene.token, service: SERVICE, servers: () => used, arrived }, clients);
  return {
    place: options.place.kind === 'sqlite' ? { ...options.place, at: `${folder.path}/0/steward.db` } : options.place,
    policy,
    replicas,
    receiver,
    scene,
    sender,
    sendTo(chosen) {
      used = chosen;
    },
    async goOn(requests) {
      const enough = receiver.arrivals.length + requests;
      await until('deliveries go on', () => receiver.arrivals.length >= enough);
    },
    async finish() {
      await sender.stop();
      await untilDelivered(used[0] ?? first, scene);
    },
  };
}

/** Freezes replicas for a time. */
export async function freeze(run: DisturbedRun, frozen: readonly StewardProcess[], ms: number): Promise<Disturbance> {
  const from = Date.now();
  for (const one of frozen) one.process.kill('SIGSTOP');
  const { claims } = await unsettled(run.place, run.receiver);
  await until('the time is over', () => Date.now() >= from + ms);
  for (const one of frozen) one.process.kill('SIGCONT');
  return { from, to: Date.now(), claims, replicas: frozen.length };
}

/** Ends a replica in the middle of its work. */
export async function kill(run: DisturbedRun, replica: StewardProcess): Promise<Disturbance> {
  // Before and after: until it is read again, the others may have released some of its claims.
  const before = await unsettled(run.place, run.receiver);
  const from = Date.now();
  await replica.end('SIGKILL');
  await run.receiver.readAll();
  const after = await unsettled(run.place, run.receiver);
  return { from, to: Date.now(), claims: [...before.claims, ...after.claims], replicas: 1 };
}

/** Repeats of attempts that were not under way in a disturbance, or more of one attempt than disturbances that hit it. */
function unexplainedBy(disturbances: readonly Disturbance[], repeats: readonly Repeat[]): readonly Repeat[] {
  const counts = new Map<string, number>();
  return repeats.filter(({ key, again }) => {
    const hits = disturbances.filter(({ from, claims }) => from <= again.at && claims.some((one) => one.key === key));
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count > hits.length;
  });
}

/** Expects that every event arrived, that only requests under way in a disturbance were repeated, and that no receiver was charged. */
export async function expectUnharmed(run: DisturbedRun, disturbances: readonly Disturbance[] = []): Promise<void> {
  const { place, policy, receiver, scene, sender, replicas } = run;
  const server = replicas.find(({ process: { exitCode, signalCode } }) => exitCode === null && signalCode === null);
  if (server === undefined) throw new Error('No replica runs.');
  await expectConsistentDeliveries({ place, server, receiver, sender, scene, policy });
  const attempts = await attemptsIn(place, receiver);
  expect(attempts.filter(({ key, kind }) => kind !== 'accepted' && key.startsWith(`${STEADY_PATH} `))).toEqual([]);
  expect(attempts.filter(({ kind }) => kind !== 'accepted' && kind !== 'refused')).toEqual([]);
  for (const path of scene.webhooks.keys()) expect(await show(server, scene, path)).toMatchObject({ active: true });
  const repeats = repeatsIn(receiver.arrivals);
  expect(unexplainedBy(disturbances, repeats)).toEqual([]);
  const most = disturbances.map((one) => Math.min(one.claims.length, one.replicas * SLOTS * scene.webhooks.size));
  const inFlight = most.reduce((sum, one) => sum + one, 0);
  expect(repeats.length).toBeLessThanOrEqual(inFlight);
  if (IS_SOAK)
    process.stdout.write(
      `${place.kind}, ${replicas.length} replicas: ${disturbances.length} disturbances, ${sender.accepted.size} events, ` +
        `${receiver.arrivals.length} requests, ${inFlight} in flight at the most, ${repeats.length} repeats\n`,
    );
}
