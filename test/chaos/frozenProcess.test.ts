import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { TestContext } from 'vitest';
import { test } from 'vitest';
import type { StoreLocation } from '../../src/store/store.ts';
import { attemptsIn, expectConsistentDeliveries } from '../support/webhooks/deliveryChecks.ts';
import {
  SERVICE,
  STEADY_PATH,
  arrivedIn,
  untilDelivered,
  setUpWebhooks,
  show,
} from '../support/webhooks/webhookSetup.ts';
import { until } from '../support/run/until.ts';
import { startSending } from '../support/webhooks/eventSender.ts';
import type { Arrival } from '../support/webhooks/recordingReceiver.ts';
import { keyOf, startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import { postgresKind, rowsOf } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

/** Long enough that no attempt times out before the process is frozen, on a busy machine too. */
const POLICY = { attempts: 5, timeOutS: 8, waitS: 1 };
const EVENTS = 12;

function eventsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, n) => ({ name: `e${first + n}`, mustFail: false }));
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Freezes a process while the receiver has its requests. Half of them are then answered with 200, half with 500. */
async function standstill({ onTestFinished }: TestContext, place: StoreLocation | undefined) {
  const folder = temporaryFolder();
  writeFileSync(`${folder.path}/master.key`, randomBytes(32).toString('base64'), { mode: 0o600 });
  const released = gate();
  let answer: (arrival: Arrival) => number | Promise<number> = async ({ name }) => {
    await released.opened;
    return Number(name.slice(1)) % 2 === 0 ? 200 : 500;
  };
  const receiver = await startRecordingReceiver((arrival) => answer(arrival));
  const running: StewardProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(running.map((one) => one.end('SIGKILL')));
    await receiver.close();
    folder.remove();
  });

  const start = async (): Promise<StewardProcess> => {
    const store = place === undefined ? 'sqlite' : storeSetting(place);
    const env = { STEWARD_STORE: store, STEWARD_MASTER_KEY_FILE: `${folder.path}/master.key` };
    const started = await startSteward({ data: `${folder.path}/${running.length}`, env });
    running.push(started);
    return started;
  };
  const stopped = await start();
  const scene = await setUpWebhooks(stopped, receiver, POLICY, [STEADY_PATH]);
  const arrived = () => arrivedIn(scene, receiver);
  const sender = startSending({ token: scene.token, service: SERVICE, servers: () => [stopped], arrived }, 0);
  await sender.send(eventsFrom(0, EVENTS));
  await until('all events are being delivered', () => receiver.arrivals.length === EVENTS);
  stopped.process.kill('SIGSTOP');
  const stoppedAt = Date.now();
  return {
    place: place ?? ({ kind: 'sqlite', at: `${folder.path}/0/steward.db`, connections: 1 } as const),
    start,
    stopped,
    stoppedAt,
    receiver,
    scene,
    sender,
    /** Answers the requests from before the freeze, and later ones with `next`. */
    release(next: typeof answer) {
      answer = next;
      released.open();
    },
  };
}

test.concurrent('[WHK7] [WHK15] a process on SQLite that is frozen for longer than its leases settles nothing twice when it goes on', async (context) => {
  const { expect } = context;
  const { place, stopped, receiver, scene, sender, release } = await standstill(context, undefined);
  release(() => 200);
  const leases = (await rowsOf(place, 'queue')).map(({ lease_until }) => Number(lease_until));
  await until('its leases have expired', () => Date.now() > Math.max(...leases));
  stopped.process.kill('SIGCONT');
  await untilDelivered(stopped, scene);
  await sender.send(eventsFrom(EVENTS, 5));
  await untilDelivered(stopped, scene);
  await expectConsistentDeliveries({ place, server: stopped, receiver, sender, scene, policy: POLICY });
  expect((await show(stopped, scene, STEADY_PATH)).ledger.delivered).toBe(EVENTS + 5);
});

test
  .skipIf(!postgresKind.isHere)
  .concurrent(
    `[WHK7] [WHK15] a replica ${postgresKind.title} that is frozen for longer than its leases settles nothing that another replica has taken over`,
    async (context) => {
      const { expect, onTestFinished } = context;
      const made = await postgresKind.place();
      onTestFinished(() => made.remove());
      const scenery = await standstill(context, made.place);
      const { place, start, stopped, stoppedAt, receiver, scene, sender, release } = scenery;
      const other = await start();
      const back = gate();
      release(async ({ name }) => {
        // When the first replica is back, the other has settled some of them and still works on the rest.
        if (Number(name.slice(1)) % 3 === 0) await back.opened;
        return 200;
      });
      await until('the other replica has taken over all of them', () => receiver.arrivals.length >= 2 * EVENTS);
      const again = receiver.arrivals.slice(EVENTS);
      expect(new Set(again.map(({ id }) => id)).size).toBe(EVENTS);
      await until('some are settled', async () => (await show(other, scene, STEADY_PATH)).ledger.delivered > 0);

      stopped.process.kill('SIGCONT');
      await show(stopped, scene, STEADY_PATH);
      back.open();
      await untilDelivered(other, scene);
      await other.end('SIGTERM');
      // A replica settles attempts in the order in which they end. Once these are settled, it has tried all earlier ones.
      await sender.send(eventsFrom(EVENTS, 5));
      await untilDelivered(stopped, scene);

      await expectConsistentDeliveries({ place, server: stopped, receiver, sender, scene, policy: POLICY });
      const attempts = new Map((await attemptsIn(place, receiver)).map(({ key, at }) => [key, at]));
      const settledByTheFirst = receiver.arrivals
        .slice(0, EVENTS)
        .filter(({ path, id }) => (attempts.get(keyOf(path, id, 1)) ?? 0) < stoppedAt);
      expect(settledByTheFirst).toEqual([]);
      expect(stopped.process.exitCode).toBeNull();
    },
  );
