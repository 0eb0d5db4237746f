import type { TestContext } from 'vitest';
import { describe, test } from 'vitest';
import type { StoreLocation } from '../../src/store/store.ts';
import { expectConsistentDeliveries, repeatsIn } from '../support/webhooks/deliveryChecks.ts';
import {
  SERVICE,
  FAILING_PATH,
  STEADY_PATH,
  arrivedIn,
  untilDelivered,
  setUpWebhooks,
} from '../support/webhooks/webhookSetup.ts';
import { startSending } from '../support/webhooks/eventSender.ts';
import type { RecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { randomPause, until } from '../support/run/until.ts';
import { startLossyProxy } from '../support/store/lossyProxy.ts';
import { postgresPrograms, startPostgres } from '../support/store/postgres.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { postgresKind } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

const ROUNDS = IS_SOAK ? 50 : 2;
const LOST_EACH_ROUND = 8;
/** The wait is longer than an outage: an attempt that is settled late is not due again before. */
const POLICY = { attempts: 2, timeOutS: 10, waitS: 10 };
const CLIENTS = 4;

/** Disturbs the store under load and checks deliveries afterwards. Answers the receiver: no process has died, so it may get nothing twice. */
async function underLoad(
  { onTestFinished }: TestContext,
  url: string,
  place: StoreLocation,
  trouble: () => Promise<void>,
): Promise<RecordingReceiver> {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const receiver = await startRecordingReceiver(async ({ path, mustFail }) => {
    await randomPause(30);
    return mustFail && path === FAILING_PATH ? 500 : 200;
  });
  onTestFinished(() => receiver.close());
  const server = await startSteward({ data: folder.path, env: { STEWARD_STORE: url } });
  onTestFinished(async () => void (await server.end('SIGKILL')));
  const scene = await setUpWebhooks(server, receiver, POLICY, [FAILING_PATH, STEADY_PATH]);
  const arrived = () => arrivedIn(scene, receiver);
  const sender = startSending({ token: scene.token, service: SERVICE, servers: () => [server], arrived }, CLIENTS);
  await trouble();
  const sofar = receiver.arrivals.length;
  await until('deliveries go on by themselves', () => receiver.arrivals.length > sofar);
  await sender.stop();
  // A delivery whose claim was committed without an answer waits until its lease expires.
  await untilDelivered(server, scene);
  await expectConsistentDeliveries({ place, server, receiver, sender, scene, policy: POLICY });
  return receiver;
}

describe.skipIf(!postgresKind.isHere)(`a store ${postgresKind.title} that fails`, () => {
  test.concurrent(`[WHK7] [WHK15] [WIN1] a store that crashes ${ROUNDS} times under load loses nothing and counts nothing twice, and deliveries go on by themselves`, async (context) => {
    const { expect } = context;
    const postgres = await startPostgres(postgresPrograms() ?? '');
    context.onTestFinished(() => postgres.stop());
    const place = { kind: 'postgres', at: postgres.url, connections: 10 } as const;
    const receiver = await underLoad(context, postgres.url, place, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await randomPause(500);
        await postgres.crash();
        await randomPause(1000);
        await postgres.revive();
      }
    });
    expect(repeatsIn(receiver.arrivals)).toEqual([]);
  });

  test.concurrent(`[WHK7] [WHK15] [WIN1] after the answers to ${ROUNDS * LOST_EACH_ROUND} commits are lost, no write is repeated`, async (context) => {
    const { expect } = context;
    const made = await postgresKind.place();
    context.onTestFinished(() => made.remove());
    const proxy = await startLossyProxy(made.place.at);
    context.onTestFinished(() => proxy.close());
    const receiver = await underLoad(context, proxy.url, made.place, async () => {
      proxy.lose(0.3);
      await until('enough answers are lost', () => proxy.lost() >= ROUNDS * LOST_EACH_ROUND);
      proxy.lose(0);
    });
    expect(repeatsIn(receiver.arrivals)).toEqual([]);
  });
});
