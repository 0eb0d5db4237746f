import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { runSteward, startSteward } from '../support/server/stewardProcess.ts';
import { dumpOf, queryPostgres } from '../support/store/postgres.ts';
import type { StoreKind } from '../support/store/stores.ts';
import { eachStore, postgresKind } from '../support/store/stores.ts';
import type { RecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';

const SERVICE = '/admin/services/A.Map';
const PATH = '/a';
/** More than a job sends in a few seconds. */
const MANY = 900;
const PAYLOAD = '{"name":"e","mustFail":false}';

interface Accepted {
  readonly id: string;
  readonly sequence: number;
  readonly repeat: boolean;
}

eachStore((kind) => {
  describe('[DEC95] [WHK13] a store that was restored', () => {
    let folder: TemporaryFolder;
    let made: Awaited<ReturnType<StoreKind['place']>>;
    let receiver: RecordingReceiver;
    let steward: StewardProcess;
    let token: string;
    let answer = 200;
    beforeEach(async () => {
      folder = temporaryFolder();
      made = await kind.place();
      answer = 200;
      receiver = await startRecordingReceiver(() => answer);
      await start();
      await steward.must('/admin/services/createService', { token, serviceName: 'A', type: 'Map' });
      const { signatureKey, url } = receiver;
      await steward.must(`${SERVICE}/webhooks/create`, { token, name: 'a', hookUrl: url + PATH, signatureKey });
    });
    afterEach(async () => {
      await steward.end('SIGKILL');
      await receiver.close();
      await made.remove();
      folder.remove();
    });

    const env = (): Readonly<Record<string, string>> => ({
      STEWARD_WEBHOOK_ALLOW: '127.0.0.1',
      ...(kind.engine === 'postgres' ? { STEWARD_STORE: made.place.at } : {}),
    });
    const data = (): string => join(folder.path, 'data');

    async function start(): Promise<void> {
      steward = await startSteward({ data: data(), env: env() });
      token = await steward.token();
    }

    async function publish(eventId: string, service = SERVICE): Promise<Accepted> {
      const { events } = await steward.must(`${service}/events`, { token, event: 'e', payload: PAYLOAD, eventId });
      return events[0];
    }

    const ledger = async () => (await steward.must(`${SERVICE}/webhooks`, { token })).webhooks[0].ledger;

    /** Makes a backup, publishes more, and goes back to the backup. Returns what the command said. */
    async function goBack(later: () => Promise<void>, ...flags: readonly string[]): Promise<string> {
      const copy = join(folder.path, 'copy');
      const command = async (...args: readonly string[]): Promise<string> => {
        const { status, stdout, stderr } = await runSteward([...args, '--data', data()], { env: env() });
        if (status !== 0) throw new Error(stderr);
        return stdout;
      };
      if (kind.engine === 'sqlite') {
        await command('backup', copy);
        await later();
        await steward.end('SIGTERM');
        return command('restore', copy, ...flags);
      }
      const dump = await dumpOf(made.place.at);
      await later();
      await steward.end('SIGTERM');
      await queryPostgres(made.place.at, dump);
      return command('after-restore', ...flags);
    }

    test('numbers events above all that receivers have seen, and gives an event that is published again the id that it had', async () => {
      const before = await publish('before');
      let lost: Accepted | undefined;
      const said = await goBack(async () => {
        lost = await publish('lost');
        await steward.must('/admin/services/createService', { token, serviceName: 'B', type: 'Map' });
        await publish('first', '/admin/services/B.Map');
      });
      expect(said).toContain('The sequence numbers of events continue above all that receivers have seen.');
      await start();
      expect(await publish('before')).toMatchObject({ ...before, repeat: true });
      const again = await publish('lost');
      expect([again.id, again.repeat]).toEqual([lost?.id, false]);
      expect(again.sequence).toBeGreaterThan(lost?.sequence ?? Infinity);
      expect((await publish('next')).sequence).toBe(again.sequence + 1);
      await steward.must('/admin/services/createService', { token, serviceName: 'B', type: 'Map' });
      const [first, second] = [
        await publish('first', '/admin/services/B.Map'),
        await publish('second', '/admin/services/B.Map'),
      ];
      expect(first.sequence).toBeGreaterThan(1_000_000);
      expect(second.sequence).toBe(first.sequence + 1);
    });

    test('says how many deliveries are sent again, and sends them with their ids', async () => {
      answer = 503;
      const { id } = await publish('pending');
      const said = await goBack(async () => {
        answer = 200;
        await until('it was delivered', async () => (await ledger()).delivered === 1);
      });
      expect(said).toContain(
        'The backup has 1 pending delivery and 0 jobs that send deliveries again. The next start sends all',
      );
      const count = receiver.arrivals.length;
      await start();
      await until('it is sent again', () => receiver.arrivals.length > count);
      expect(receiver.arrivals.at(-1)?.id).toBe(id);
    });

    test('with --hold sends nothing before a person has decided', async () => {
      answer = 503;
      const { id } = await publish('pending');
      const said = await goBack(async () => undefined, '--hold');
      expect(said).toContain('Deactivated: 1 webhook. Held: 1 pending delivery.');
      answer = 200;
      const count = receiver.arrivals.length;
      await start();
      const { webhooks } = await steward.must(`${SERVICE}/webhooks`, { token });
      expect(webhooks).toMatchObject([{ active: false, ledger: { held: 1 } }]);
      expect(receiver.arrivals).toHaveLength(count);
      await steward.must(`${SERVICE}/webhooks/activateAll`, { token });
      await until('it is sent', () => receiver.arrivals.slice(count).some((one) => one.id === id));
    });

    test('with --hold also holds what was being sent again, and ends the job that does it', async () => {
      const [hook] = (await steward.must(`${SERVICE}/webhooks`, { token })).webhooks;
      const webhook = `${SERVICE}/webhooks/${hook.id}`;
      await steward.must(`${webhook}/deactivate`, { token });
      const one = { event: 'e', payload: JSON.parse(PAYLOAD) };
      const events = JSON.stringify(Array.from({ length: MANY }, () => one));
      await steward.must(`${SERVICE}/events`, { token, events });
      answer = 503;
      await steward.must(`${webhook}/redeliverHeld`, { token });
      await until('some are being sent', () => receiver.arrivals.length > 0);
      const said = await goBack(async () => undefined, '--hold');
      expect(said).toContain('Deactivated: 0 webhooks.');
      expect(said).toContain('Cancelled: 1 job that sends deliveries again.');
      answer = 200;
      const count = receiver.arrivals.length;
      await start();
      await until('the job has ended', async () => {
        const { jobs } = await steward.must('/admin/system/jobs', { token });
        return jobs.every(({ endedAt }: { readonly endedAt: number | null }) => endedAt !== null);
      });
      expect(receiver.arrivals).toHaveLength(count);
      expect(await ledger()).toMatchObject({ held: MANY });
    });
  });
});

describe.skipIf(!postgresKind.isHere)(`[DEC95] after-restore ${postgresKind.title}`, () => {
  test('is refused while a server uses the store, and where there is none', async ({ onTestFinished }) => {
    const folder = temporaryFolder();
    const made = await postgresKind.place();
    const { at } = made.place;
    const steward = await startSteward({ data: join(folder.path, 'data'), env: { STEWARD_STORE: at } });
    onTestFinished(async () => {
      await steward.end('SIGKILL');
      await made.remove();
      folder.remove();
    });
    const run = (store: string) =>
      runSteward(['after-restore', '--data', folder.path], { env: { STEWARD_STORE: store } });
    expect(await run(at)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Steward runs on this store (servers: 1). Stop it first.'),
    });
    await queryPostgres(at, 'create schema other');
    expect(await run(`${at}${at.includes('?') ? '&' : '?'}options=-csearch_path%3Dother`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has no store of Steward. Nothing was changed.'),
    });
    expect(await queryPostgres(at, `select 1 from pg_tables where schemaname = 'other'`)).toEqual([]);
  });
});
