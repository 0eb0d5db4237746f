// Deliveries to real web servers that close connections when they like: idle ones, after some requests, and when they are reloaded.
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import type { TestContext } from 'vitest';
import type { ReceiverServer } from '../support/receivers/receiverServer.ts';
import { startReceiverServer } from '../support/receivers/receiverServer.ts';
import type { ServerName } from '../support/receivers/serverPrograms.ts';
import { EARLY_PATH, PROGRAMS, SERVER_NAMES } from '../support/receivers/serverPrograms.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward } from '../support/server/stewardProcess.ts';

/**
 * The time between two rounds is as long as the server keeps a connection, and a little shorter, in milliseconds: until the end of a round
 * is seen and the next one is sent, some more time passes.
 */
const OFFSETS_MS = Array.from({ length: 26 }, (_, n) => 4 * n - 100);
const EVENTS_PER_ROUND = 6;
const RELOADS = 3;
const LARGE_BODY = 'x'.repeat(200_000);

let folder: TemporaryFolder;
let steward: StewardProcess;
let token: string;
let services = 0;

beforeAll(async () => {
  folder = temporaryFolder();
  steward = await startSteward({ data: folder.path });
  token = await steward.token();
  // One failed attempt is shown as a failed delivery, and deactivates the webhook.
  await steward.must('/admin/services/webhooks/settings', { token, notificationAttempts: '1', numberOfFailures: '1' });
});
afterAll(async () => {
  await steward.end('SIGTERM');
  folder.remove();
});

/** A webhook that leads to a server, and what was published for it. */
async function subscribe(server: ReceiverServer, path: string) {
  const serviceName = `Orders${(services += 1)}`;
  await steward.must('/admin/services/createService', { token, serviceName, type: 'Map' });
  const at = `/admin/services/${serviceName}.Map`;
  const fields = { token, name: 'receiver', hookUrl: server.url + path };
  const { webhook } = await steward.must(`${at}/webhooks/create`, fields);
  const published: string[] = [];
  const show = () => steward.must(`${at}/webhooks/${webhook.id}`, { token });
  return {
    published,
    async publish(count: number, payload: unknown): Promise<void> {
      const events = Array.from({ length: count }, () => ({ event: 'order', payload }));
      const answer = await steward.must(`${at}/events`, { token, events: JSON.stringify(events) });
      published.push(...answer.events.map(({ id }: { readonly id: string }) => id));
    },
    untilEnded: () =>
      until('no delivery is pending', async () => {
        const { ledger } = await show();
        return ledger.pending + ledger.held === 0 || ledger.failed > 0;
      }),
    show,
  };
}

type Subscription = Awaited<ReturnType<typeof subscribe>>;

async function start({ onTestFinished }: TestContext, name: ServerName, path: string) {
  const server = await startReceiverServer(name);
  onTestFinished(() => server.stop());
  return { server, webhook: await subscribe(server, path) };
}

/** What Steward counts, and how often the server has handled each event. */
async function outcomeOf(server: ReceiverServer, webhook: Subscription) {
  await webhook.untilEnded();
  const { active, failureWindow, ledger, lastAnswer } = await webhook.show();
  if (ledger.failed === 0)
    await until('the server has written its ledger', () => server.handled().size >= webhook.published.length);
  return {
    active,
    failureWindow,
    ledger,
    reason: lastAnswer?.reason ?? '',
    handled: Object.fromEntries(server.handled()),
  };
}

/** The server has handled every event once, and nothing is counted against it. */
function eachOnce({ published }: Subscription): Awaited<ReturnType<typeof outcomeOf>> {
  const { length: accepted } = published;
  return {
    active: true,
    failureWindow: null,
    ledger: { accepted, delivered: accepted, pending: 0, held: 0, failed: 0, discarded: 0 },
    reason: '',
    handled: Object.fromEntries(published.map((id) => [id, 1])),
  };
}

function titleOf(name: ServerName): string {
  const { path, debianPackage } = PROGRAMS[name];
  return existsSync(path) ? name : `${name} (left out: this machine lacks Debian's ${debianPackage})`;
}

for (const name of SERVER_NAMES) {
  const { path, idleMs } = PROGRAMS[name];
  const isHere = existsSync(path);
  const title = titleOf(name);

  test
    .skipIf(!isHere)
    .concurrent(
      `[WHK7] [WHK16] ${title} gets each event once when it closes connections that are idle`,
      async (context) => {
        const { expect } = context;
        const { server, webhook } = await start(context, name, '/hook');
        for (const offset of OFFSETS_MS) {
          await webhook.publish(EVENTS_PER_ROUND, { offset });
          await webhook.untilEnded();
          const next = Date.now() + idleMs + offset;
          await until('the connections are as old as that', () => Date.now() >= next, 1);
        }
        expect(await outcomeOf(server, webhook)).toEqual(eachOnce(webhook));
      },
    );

  test
    .skipIf(!isHere)
    .concurrent(
      `[WHK7] [WHK30] ${title} gets each event once when it answers before it has read the body`,
      async (context) => {
        const { expect } = context;
        const { server, webhook } = await start(context, name, EARLY_PATH);
        for (let round = 0; round < 5; round += 1) {
          await webhook.publish(4, LARGE_BODY);
          await webhook.untilEnded();
        }
        expect(await outcomeOf(server, webhook)).toEqual(eachOnce(webhook));
      },
    );
}

for (const name of SERVER_NAMES.filter((one) => PROGRAMS[one].reload !== undefined))
  test
    .skipIf(!existsSync(PROGRAMS[name].path))
    .concurrent(
      `[WHK7] [WHK16] ${titleOf(name)} gets each event once when it is reloaded under load`,
      async (context) => {
        const { expect } = context;
        const { server, webhook } = await start(context, name, '/hook');
        for (let round = 0; round < RELOADS; round += 1) {
          const endsAt = Date.now() + 1500;
          server.reload();
          while (Date.now() < endsAt) await webhook.publish(2, { round });
          await webhook.untilEnded();
        }
        expect(await outcomeOf(server, webhook)).toEqual(eachOnce(webhook));
      },
    );
