import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STEADY_PATH, SERVICE, setUpWebhooks, show } from '../support/webhooks/webhookSetup.ts';
import type { Arrival, RecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { StoreKind } from '../support/store/stores.ts';
import { eachStore } from '../support/store/stores.ts';

const POLICY = { attempts: 2, timeOutS: 2, waitS: 1 };
const EVENTS = 60;

const NO_ANSWER = new Promise<number>(() => {});

eachStore((kind) => {
  let made: Awaited<ReturnType<StoreKind['place']>>;
  let folder: ReturnType<typeof temporaryFolder>;
  let receiver: RecordingReceiver;
  let running: readonly StewardProcess[] = [];
  let answer: (arrival: Arrival) => number | Promise<number> = () => 200;

  beforeEach(async () => {
    folder = temporaryFolder();
    writeFileSync(`${folder.path}/master.key`, randomBytes(32).toString('base64'), { mode: 0o600 });
    made = await kind.place();
    answer = () => 200;
    receiver = await startRecordingReceiver((arrival) => answer(arrival));
  });
  afterEach(async () => {
    await killAll();
    await receiver.close();
    await made.remove();
    folder.remove();
  });

  /** Starts one process, or two replicas on a shared store. */
  async function startAll(): Promise<StewardProcess> {
    const env = { STEWARD_STORE: storeSetting(made.place), STEWARD_MASTER_KEY_FILE: `${folder.path}/master.key` };
    const replicas = kind.engine === 'postgres' ? [0, 1] : [0];
    running = await Promise.all(replicas.map((n) => startSteward({ data: `${folder.path}/${n}`, env })));
    const [first] = running;
    return first ?? Promise.reject(new Error('none runs'));
  }

  async function killAll(): Promise<void> {
    await Promise.all(running.map((one) => one.end('SIGKILL')));
    running = [];
    await receiver.readAll();
  }

  /** Sets up a deactivated webhook that holds all events. */
  async function holdAll(server: StewardProcess) {
    const scene = await setUpWebhooks(server, receiver, POLICY, [STEADY_PATH]);
    const webhook = `/admin/services/${SERVICE}/webhooks/${scene.webhooks.get(STEADY_PATH)}`;
    const { token } = scene;
    await server.must(`${webhook}/deactivate`, { token });
    const events = Array.from({ length: EVENTS }, (_, n) => ({
      event: 'order',
      payload: { name: `e${n}`, mustFail: false },
    }));
    await server.must(`/admin/services/${SERVICE}/events`, { token, events: JSON.stringify(events) });
    return { scene, webhook, token };
  }

  test('[WHK11] [WHK7] a held delivery whose process is killed with kill -9 before the answer is sent again, and the others stay held', async () => {
    const first = await startAll();
    const { scene, webhook, token } = await holdAll(first);
    const { deliveries } = await first.must(`${webhook}/deliveries`, { token, state: 'held', num: '1' });
    const at = `${webhook}/deliveries/${deliveries[0].id}`;
    answer = () => NO_ANSWER;
    await first.must(`${at}/redeliver`, { token });
    await until('the request arrives', () => receiver.arrivals.length === 1);
    await killAll();
    answer = () => 200;
    const second = await startAll();
    await until('it is delivered', async () => (await second.must(at, { token })).state === 'delivered');
    expect(receiver.arrivals.map(({ id, attempt }) => ({ id, attempt }))).toEqual(
      [1, 1].map((attempt) => ({ id: deliveries[0].webhookMessageId, attempt })),
    );
    expect((await show(second, scene, STEADY_PATH)).ledger).toEqual({
      accepted: EVENTS,
      delivered: 1,
      pending: 0,
      held: EVENTS - 1,
      failed: 0,
      discarded: 0,
    });
    expect((await second.must(webhook, { token })).active).toBe(false);
    expect(receiver.problems).toEqual([]);
  });

  test('[WHK11] [WHK7] a job that sends held deliveries again continues after kill -9, and none is lost', async () => {
    const first = await startAll();
    const { scene, webhook, token } = await holdAll(first);
    answer = ({ place }) => (place % 2 === 0 ? 200 : NO_ANSWER);
    const { jobId, deliveries } = await first.must(`${webhook}/redeliverHeld`, { token });
    expect(deliveries).toBe(EVENTS);
    await until('some arrive', () => receiver.arrivals.length >= 10);
    await killAll();
    answer = () => 200;
    const second = await startAll();
    const ledger = async () => (await show(second, scene, STEADY_PATH)).ledger;
    await until('all are delivered', async () => (await ledger()).delivered === EVENTS);
    expect(await ledger()).toMatchObject({ accepted: EVENTS, held: 0, failed: 0 });
    await until(
      'the job ends',
      async () => (await second.must(`/admin/system/jobs/${jobId}`, { token })).state !== 'running',
    );
    expect(await second.must(`/admin/system/jobs/${jobId}`, { token })).toMatchObject({
      state: 'succeeded',
      progress: { done: EVENTS, total: EVENTS },
    });
    expect(receiver.idsAt(STEADY_PATH).size).toBe(EVENTS);
    expect((await second.must(webhook, { token })).active).toBe(false);
    expect(receiver.problems).toEqual([]);
  });
});
