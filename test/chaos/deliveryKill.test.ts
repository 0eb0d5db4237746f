import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Kill } from '../support/webhooks/deliveryChecks.ts';
import {
  attemptsIn,
  neverTakenUp,
  expectConsistentDeliveries,
  repeatsIn,
  unexplained,
} from '../support/webhooks/deliveryChecks.ts';
import type { Claim } from '../support/webhooks/webhookSetup.ts';
import {
  SERVICE,
  FAILING_PATH,
  STEADY_PATH,
  arrivedIn,
  untilDelivered,
  setUpWebhooks,
  unsettled,
} from '../support/webhooks/webhookSetup.ts';
import { startSending } from '../support/webhooks/eventSender.ts';
import type { RecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import type { StoreKind } from '../support/store/stores.ts';
import { randomPause, until } from '../support/run/until.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { eachStore } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

const ROUNDS = IS_SOAK ? 500 : 3;
const POLICY = { attempts: 2, timeOutS: 2, waitS: 1 };
const CLIENTS = 4;
/** How many requests arrive between two kills at most. */
const MOST_REQUESTS = 300;
const SLOWEST_ANSWER_MS = 30;
/** How many requests one process sends to one webhook at a time. */
const SLOTS = 16;

eachStore((kind) => {
  const isShared = kind.engine === 'postgres';
  let made: Awaited<ReturnType<StoreKind['place']>>;
  let folder: ReturnType<typeof temporaryFolder>;
  let receiver: RecordingReceiver;
  let running: (StewardProcess | undefined)[] = [];
  const servers = () => running.filter((one) => one !== undefined);

  beforeEach(async () => {
    folder = temporaryFolder();
    writeFileSync(`${folder.path}/master.key`, randomBytes(32).toString('base64'), { mode: 0o600 });
    made = await kind.place();
    running = [];
    receiver = await startRecordingReceiver(async ({ path, mustFail }) => {
      await randomPause(SLOWEST_ANSWER_MS);
      return mustFail && path === FAILING_PATH ? 500 : 200;
    });
  });
  afterEach(async () => {
    await Promise.all(servers().map((one) => one.end('SIGKILL')));
    await receiver.close();
    await made.remove();
    folder.remove();
  });

  const place = () => (isShared ? made.place : { ...made.place, at: `${folder.path}/0/steward.db` });

  async function start(replica: number): Promise<StewardProcess> {
    const env = { STEWARD_STORE: storeSetting(made.place), STEWARD_MASTER_KEY_FILE: `${folder.path}/master.key` };
    const started = await startSteward({ data: `${folder.path}/${replica}`, env });
    running[replica] = started;
    return started;
  }

  /** Kills one process in the middle of its work and starts it again. */
  async function killOne(): Promise<Kill & { readonly stillLeased: readonly Claim[] }> {
    const victim = Math.floor(Math.random() * running.length);
    const dying = running[victim];
    running[victim] = undefined;
    const at = Date.now();
    await dying?.end('SIGKILL');
    await receiver.readAll();
    const arrivals = receiver.arrivals.length;
    const known = await unsettled(place(), receiver);
    await start(victim);
    const fences = new Map(known.claims.map(({ key, fence }) => [key, fence]));
    const { claims } = await unsettled(place(), receiver);
    return { at, arrivals, ...known, stillLeased: claims.filter(({ key, fence }) => fences.get(key) === fence) };
  }

  const victims = isShared ? 'one of three replicas' : 'the process';
  test(`[WHK7] [WHK15] [WIN1] after ${ROUNDS} kills with kill -9 of ${victims}, every event arrives, only deliveries in flight are repeated, and the ledger adds up`, async () => {
    const first = await start(0);
    if (isShared) await Promise.all([start(1), start(2)]);
    const scene = await setUpWebhooks(first, receiver, POLICY, [FAILING_PATH, STEADY_PATH]);
    const arrived = () => arrivedIn(scene, receiver);
    const sender = startSending({ token: scene.token, service: SERVICE, servers, arrived }, CLIENTS);
    const kills: Awaited<ReturnType<typeof killOne>>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // A number of requests, not a time: a slow machine gets as far as a fast one.
      const enough = receiver.arrivals.length + 10 + Math.random() * MOST_REQUESTS;
      await until('deliveries go on', () => receiver.arrivals.length >= enough);
      kills.push(await killOne());
    }
    await sender.stop();
    const [server] = servers();
    if (server === undefined) throw new Error('none runs');
    await untilDelivered(server, scene);

    await expectConsistentDeliveries({ place: place(), server, receiver, sender, scene, policy: POLICY });
    const attempts = new Map((await attemptsIn(place(), receiver)).map(({ key, at }) => [key, at]));
    const repeats = repeatsIn(receiver.arrivals);
    // The store may have more claims than the killed process can have had in flight.
    const most = SLOTS * scene.webhooks.size;
    const inFlight = kills.reduce((sum, { claims }) => sum + Math.min(claims.length, most), 0);
    expect(unexplained(repeats, kills, attempts)).toEqual([]);
    expect(repeats.length).toBeLessThanOrEqual(inFlight);
    // A replica's lease expires before another replica takes over; a single process takes its leases back when it starts.
    const late = isShared
      ? neverTakenUp(kills, receiver.arrivals, attempts)
      : kills.flatMap(({ stillLeased }) => stillLeased);
    expect(late).toEqual([]);
    expect(sender.accepted.size).toBeGreaterThan(ROUNDS);
    if (IS_SOAK)
      process.stdout.write(
        `${kind.engine}: ${kills.length} kills, ${sender.accepted.size} events, ${receiver.arrivals.length} requests, ` +
          `${inFlight} in flight at the kills at the most, ${repeats.length} repeats, ` +
          `${Math.max(0, ...repeats.map(({ before, again }) => again.at - before.at))} ms at the most until a repeat\n`,
      );
  });
});
