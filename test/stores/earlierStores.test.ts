// Stores of every schema that has landed, opened by this version: nothing is lost, what was pending is delivered, and all goes on.
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readFacts, readVersions } from '../../scripts/stores/facts.mjs';
import type { Clock } from '../../src/foundation/clock.ts';
import { DAY, HOUR, systemClock } from '../../src/foundation/clock.ts';
import { createCloseStack } from '../../src/foundation/flow/closeStack.ts';
import type { LogFields } from '../../src/foundation/log.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { start } from '../../src/service/serve.ts';
import { readConfiguration } from '../../src/service/settings/configuration.ts';
import type { StoreLocation } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { Client } from '../support/server/client.ts';
import { createClient, networkTransport } from '../support/server/client.ts';
import { storeSetting } from '../support/server/stewardProcess.ts';
import type { Ledger, StoreFacts, WebhookFacts } from '../support/store/earlierStores.ts';
import { EARLIER_STORES, REFUSED } from '../support/store/earlierStores.ts';
import { eachStore, rowsOf } from '../support/store/stores.ts';

/** The server of the first kept the steps of an upgrade in another form. */
const BEFORE_JOURNAL = EARLIER_STORES.filter(({ name }) => name === '01-cac748e');
const WITH_JOURNAL = EARLIER_STORES.filter((one) => !BEFORE_JOURNAL.includes(one));

/** What waits for a retry is due a day after the store was made. */
const [BEFORE_RETRIES, AFTER_RETRIES] = [HOUR, 2 * DAY];
/** Waits of the program take less time. */
const FASTER = 20;

/** A clock that begins at a time, and runs faster. */
function clockFrom(begin: number): Clock {
  const began = systemClock.now();
  return {
    now: () => begin + (systemClock.now() - began) * FASTER,
    sleep: (ms, signal) => systemClock.sleep(ms / FASTER, signal),
  };
}

interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function startReceiver() {
  const arrivals: Arrival[] = [];
  let isAnswering = false;
  const server = createServer((request, response) => {
    if (!isAnswering) return;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      arrivals.push({ path: request.url ?? '', headers: request.headers, body });
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const arrivalsOf = ({ name }: WebhookFacts): readonly Arrival[] => arrivals.filter(({ path }) => path === `/${name}`);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Until then, requests hang, so that no delivery ends. */
    startAnswering: () => (isAnswering = true),
    arrivalsOf,
    /** The ids of the messages that arrived for a webhook. */
    idsOf: (webhook: WebhookFacts): readonly string[] =>
      arrivalsOf(webhook).map(({ headers }) => String(headers['webhook-id'])),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Checks the signatures that the receiver of a webhook would check, with the key that it was created with. */
function verify({ signatureKey, signatureHeader, headers }: WebhookFacts, arrival: Arrival): void {
  const [id, timestamp] = [String(arrival.headers['webhook-id']), Number(arrival.headers['webhook-timestamp'])];
  const signature = new Webhook(signatureKey).sign(id, new Date(timestamp * 1000), arrival.body);
  expect(String(arrival.headers['webhook-signature']).split(' ')).toContain(signature);
  for (const [name, value] of Object.entries(headers)) expect(arrival.headers[name.toLowerCase()]).toBe(value);
  if (signatureHeader === '') return;
  const key = Buffer.from(signatureKey.replace(/^whsec_/, ''), 'base64');
  const hex = createHmac('sha256', key).update(arrival.body).digest('hex');
  expect(arrival.headers[signatureHeader.toLowerCase()]).toBe(`sha256=${hex}`);
}

interface Server extends Client {
  stop(): Promise<void>;
}

async function startServer(
  place: StoreLocation,
  data: string,
  clock: Clock,
  changes: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const flags = {
    data,
    store: storeSetting(place),
    port: '0',
    demo: 'true',
    demoReceiverPort: '0',
    webhookAllow: '127.0.0.1',
    ...changes,
  };
  const { settings } = readConfiguration({ flags, environment: {}, file: undefined });
  let address = '';
  const log = {
    ...silentLog,
    info: (fields: LogFields) => (address = typeof fields['address'] === 'string' ? fields['address'] : address),
  };
  const closeStack = createCloseStack(silentLog);
  try {
    await start({ settings, clock, log, closeStack }, [], {
      onBroken: () => undefined,
      isStopping: () => false,
      droppedLogLines: () => 0,
      rereads: { add: () => undefined },
    });
  } catch (error) {
    await closeStack.close();
    throw error;
  }
  return { ...createClient(networkTransport(address)), stop: () => closeStack.close() };
}

async function signIn(
  { must }: Client,
  { passwords }: Pick<StoreFacts, 'passwords'>,
  username = 'admin',
): Promise<string> {
  return (await must('/tokens/generateToken', { username, password: passwords[username] ?? '' })).token;
}

const addressOf = ({ service, id }: WebhookFacts): string => `/admin/services/${service}/webhooks/${id}`;

/** Reads back what the server that made the store had said of it. */
async function factsNow(client: Client, { passwords, ...facts }: StoreFacts, token: string): Promise<object> {
  const call = (path: string, fields = {}) => client.must(`/admin/${path}`, { token, ...fields });
  const secrets = Object.fromEntries(
    facts.webhooks.map(({ id, signatureKey, headers }) => [id, { signatureKey, headers }]),
  );
  const { tokens, events, refused, deleted, restorePoint } = facts;
  const notes = { passwords, tokens, events, refused, ...(deleted !== undefined && { deleted, restorePoint }) };
  return readFacts({ call }, { ...notes, secrets, versions: await readVersions({ call }) });
}

eachStore((kind) => {
  let made: Awaited<ReturnType<typeof kind.place>>;
  let folder: ReturnType<typeof temporaryFolder>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let server: Server | undefined;

  beforeEach(async () => {
    folder = temporaryFolder();
    made = await kind.place();
    receiver = await startReceiver();
    server = undefined;
  });
  afterEach(async () => {
    await server?.stop();
    await receiver.close();
    await made.remove();
    folder.remove();
  });

  const place = (): StoreLocation =>
    kind.engine === 'sqlite' ? { ...made.place, at: join(folder.path, 'steward.db') } : made.place;

  const startAt = async (time: number, changes?: Readonly<Record<string, string>>): Promise<Server> =>
    (server = await startServer(place(), folder.path, clockFrom(time), changes));

  const webhookOf = async ({ must }: Client, token: string, facts: WebhookFacts) => must(addressOf(facts), { token });

  async function untilLedger(
    client: Client,
    token: string,
    facts: WebhookFacts,
    ledger: Partial<Ledger>,
  ): Promise<void> {
    await until(`${facts.name} has ${JSON.stringify(ledger)}`, async () => {
      const now = (await webhookOf(client, token, facts)).ledger;
      return Object.entries(ledger).every(([state, count]) => now[state] === count);
    });
  }

  /** Waits until a job has ended, and answers it. */
  async function ended({ must }: Client, token: string, id: string) {
    const read = () => must(`/admin/system/jobs/${id}`, { token });
    await until(`job ${id} has ended`, async () => (await read()).endedAt !== null);
    return read();
  }

  async function installRelease(client: Client, token: string): Promise<void> {
    const licence = JSON.stringify(await client.must('/admin/demo/licence', { token }));
    const uploaded = await client.postParts('/admin/uploads/upload', [
      { name: 'token', content: token },
      { name: 'itemFile', content: licence, fileName: 'licence.json' },
    ]);
    const userInputs = [{ id: 'licenseUpload', value: uploaded.body.item.itemID }];
    const fields = { versionManifest: 'rel_11.0', upgradeSettings: JSON.stringify({ userInputs }) };
    const { job } = await client.must('/admin/system/upgrades/upgrade', {
      token,
      withoutRestorePoint: 'true',
      ...fields,
    });
    expect(await ended(client, token, job.id)).toMatchObject({ state: 'success' });
    expect(await client.must('/admin/system/upgrades/currentVersion', { token })).toMatchObject({ version: '11.0' });
  }

  async function checkPending(client: Client, token: string, facts: StoreFacts): Promise<void> {
    for (const webhook of facts.webhooks.filter(({ active }) => active)) {
      const { delivered, pending, failed, discarded } = webhook.ledger;
      await untilLedger(client, token, webhook, { delivered: delivered + pending, pending: 0, failed, discarded });
      const waited = webhook.deliveries.filter(({ state }) => state === 'pending').map(({ messageId }) => messageId);
      expect(receiver.idsOf(webhook)).toEqual(expect.arrayContaining(waited));
      for (const arrival of receiver.arrivalsOf(webhook)) verify(webhook, arrival);
    }
  }

  async function checkHeld(client: Client, token: string, facts: StoreFacts): Promise<void> {
    for (const webhook of facts.webhooks.filter(({ active }) => !active)) {
      const { held, delivered, failed } = webhook.ledger;
      await client.must(`${addressOf(webhook)}/activate`, { token });
      await untilLedger(client, token, webhook, { held: 0, pending: 0, delivered: delivered + held, failed });
      const failedOne = webhook.deliveries.find(({ state }) => state === 'failed');
      await client.must(`${addressOf(webhook)}/deliveries/${failedOne?.id}/redeliver`, { token });
      await untilLedger(client, token, webhook, { delivered: delivered + held + 1, failed: failed - 1 });
    }
  }

  async function checkEvents(client: Client, token: string, { events, webhooks }: StoreFacts): Promise<void> {
    for (const { service, answer, ...event } of events) {
      const again = await client.must(`/admin/services/${service}/events`, { token, ...event });
      expect(again.events).toEqual([{ ...answer, repeat: true }]);
    }
    const webhook = webhooks.find(({ name }) => name === 'waits');
    if (webhook === undefined) throw new Error('there is no webhook named waits');
    const { ledger } = await webhookOf(client, token, webhook);
    await client.must(`/admin/services/${webhook.service}/events`, {
      token,
      event: webhook.name,
      payload: '{"new":1}',
    });
    await untilLedger(client, token, webhook, { accepted: ledger.accepted + 1, delivered: ledger.delivered + 1 });
  }

  /** Versions before the journal did not keep the steps of a job where this version could find them. */
  async function checkJobs({ must }: Client, token: string, hasJournal: boolean): Promise<void> {
    const { updates } = await must('/admin/system/upgrades/history', { token });
    for (const { id, reason } of updates) {
      const { steps } = await must(`/admin/system/jobs/${id}`, { token });
      expect([id, reason, steps.length > 0]).toEqual([id, expect.any(String), hasJournal]);
    }
  }

  async function checkAccess(client: Client, { tokens, passwords }: StoreFacts): Promise<void> {
    for (const { text } of tokens)
      expect(await client.get('/rest/services/Orders', { authorization: `Bearer ${text}` })).toMatchObject({
        status: 200,
      });
    for (const username of Object.keys(passwords))
      expect(await signIn(client, { passwords }, username)).toMatch(/^stw_/);
  }

  describe.each(EARLIER_STORES)('of $name', (earlier) => {
    const { madeAt } = earlier;

    test('[STO1] has everything that it had, delivers what was pending and held, and goes on', async () => {
      const facts = earlier.facts.full[kind.engine];
      await earlier.load('full', place(), { data: folder.path, receiver: receiver.url });
      const first = await startAt(madeAt + BEFORE_RETRIES);
      const found = await factsNow(first, facts, await signIn(first, facts));
      const webhooks = facts.webhooks.map((one) => ({ ...one, url: one.url.replace(REFUSED, `${receiver.url}/`) }));
      expect(found).toEqual({ ...facts, webhooks });
      await first.stop();
      receiver.startAnswering();

      const client = await startAt(madeAt + AFTER_RETRIES);
      const token = await signIn(client, facts);
      await checkAccess(client, facts);
      await checkJobs(client, token, WITH_JOURNAL.includes(earlier));
      await checkPending(client, token, facts);
      await checkHeld(client, token, facts);
      await checkEvents(client, token, facts);
      await installRelease(client, token);
    });
  });

  test.each(WITH_JOURNAL)('[STO1] of $name goes on with an upgrade that was interrupted', async (earlier) => {
    const facts = earlier.facts.unfinished[kind.engine];
    await earlier.load('unfinished', place(), { data: folder.path, receiver: receiver.url });
    receiver.startAnswering();
    const client = await startAt(earlier.madeAt + AFTER_RETRIES);
    const token = await signIn(client, facts);
    expect(await ended(client, token, facts.jobs[0]?.id ?? '')).toMatchObject({ state: 'success' });
    await checkPending(client, token, facts);
    expect(await client.must('/admin/mode', { token })).toMatchObject({ isReadOnly: false });
  });

  describe.each([...EARLIER_STORES.slice(0, 1), ...EARLIER_STORES.slice(-1)])('of $name', (earlier) => {
    test.each([
      ['without --demo', 'belongs to the demo', { demo: 'false' }],
      ['whose key is missing', 'The master key of the store is missing.', {}],
      [
        'whose kubeconfig is missing',
        'The kubeconfig /none cannot be read',
        { deployment: 'kubernetes', kubeconfig: '/none' },
      ],
    ])('[STO1] a start %s is refused, and leaves the store as it was', async (name, refusal, changes) => {
      await earlier.load('full', place(), { data: folder.path, receiver: receiver.url });
      if (name === 'whose key is missing') rmSync(join(folder.path, 'master.key'));
      const before = await rowsOf(place(), 'schema_migration');
      await expect(startAt(earlier.madeAt + AFTER_RETRIES, changes)).rejects.toThrow(refusal);
      expect(await rowsOf(place(), 'schema_migration')).toEqual(before);
    });
  });

  test.each(BEFORE_JOURNAL)(
    '[STO1] of $name is refused and not changed while an upgrade is open whose journal cannot be read',
    async (earlier) => {
      const [job] = earlier.facts.unfinished[kind.engine].jobs;
      await earlier.load('unfinished', place(), { data: folder.path, receiver: receiver.url });
      const before = await rowsOf(place(), 'schema_migration');
      await expect(startAt(earlier.madeAt + AFTER_RETRIES)).rejects.toThrow(
        `The upgrade job ${job?.id} is not finished, and an earlier version of Steward started it, whose journal this version cannot read. Nothing was changed. Start the earlier version again, finish the job there`,
      );
      expect(await rowsOf(place(), 'schema_migration')).toEqual(before);
    },
  );
});
