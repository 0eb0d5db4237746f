import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { beforeAll, test } from 'vitest';
import { newId } from '../../src/foundation/ids.ts';
import { DELIVERED, shortRun } from '../support/connections/shortRun.ts';
import { describeConnections } from '../support/connections/suite.ts';
import type { TestCluster, TestDatabase } from '../support/connections/testCluster.ts';
import { startTestCluster } from '../support/connections/testCluster.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import type { PostgresServer } from '../support/store/postgres.ts';
import { freePort, queryPostgres, startPostgres } from '../support/store/postgres.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import { SERVICE, setUpWebhooks } from '../support/webhooks/webhookSetup.ts';

const PATH = '/all';
const POLICY = { attempts: 3, timeOutS: 5, waitS: 1 };

function addressOf(ports: readonly number[], { role, database }: TestDatabase, parameters = ''): string {
  return `postgres://${role}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}${parameters}`;
}

function startStandby(bin: string, primary: PostgresServer): Promise<PostgresServer> {
  return startPostgres(bin, { hasTls: false, primary, settings: { fsync: 'on' } });
}

const READ_WRITE = '?target_session_attrs=read-write';

describeConnections('Steward with the addresses of several servers', (bin) => {
  let main: TestCluster;
  let standby: PostgresServer;
  let other: TestCluster;

  beforeAll(async () => {
    [main, other] = await Promise.all([startTestCluster(bin), startTestCluster(bin)]);
    standby = await startStandby(bin, main.server);
    return async () => {
      await standby.stop();
      await Promise.all([main.server.stop(), other.server.stop()]);
    };
  });

  test.concurrent('[STO11] works if the first server does not answer', async ({ expect }) => {
    const database = await main.create();
    const store = addressOf([await freePort(), main.server.port], database, READ_WRITE);
    expect(await shortRun({ database, store })).toEqual(DELIVERED);
  });

  test.concurrent('[STO11] works if the first server is a standby, also without target_session_attrs', async ({
    expect,
  }) => {
    const database = await main.create();
    const at = `postgres://steward@127.0.0.1:${standby.port}/postgres`;
    const find = `select 1 from pg_database where datname = '${database.database}'`;
    await until('the standby has the database', async () => (await queryPostgres(at, find)).length === 1);
    expect(await shortRun({ database, store: addressOf([standby.port, main.server.port], database) })).toEqual(
      DELIVERED,
    );
  });

  test.concurrent('[STO11] works if the first server is read-only by default', async ({ expect }) => {
    const names = { role: `r_${newId()}`, database: `d_${newId()}` };
    await other.create({ ...names, sql: 'alter role ROLE set default_transaction_read_only = on' });
    const database = await main.create(names);
    expect(
      await shortRun({ database, store: addressOf([other.server.port, main.server.port], database, READ_WRITE) }),
    ).toEqual(DELIVERED);
  });
});

/** A primary and its standby, with a database of Steward. */
async function startFailoverPair(bin: string, { onTestFinished }: TestContext) {
  const primary = await startTestCluster(bin);
  onTestFinished(() => primary.server.stop());
  const database = await primary.create();
  const standby = await startStandby(bin, primary.server);
  onTestFinished(() => standby.stop());
  const atStandby = `postgres://steward@127.0.0.1:${standby.port}/${database.database}`;
  return {
    store: addressOf([primary.server.port, standby.port], database, READ_WRITE),
    /** Ends the primary once the standby has everything, and makes the standby the primary. */
    async failOver(): Promise<void> {
      const [written] = await database.query('select pg_current_wal_lsn() as lsn');
      const isBehind = `select pg_last_wal_replay_lsn() < '${String(written?.['lsn'])}' as behind`;
      await until(
        'the standby has everything',
        async () => (await queryPostgres(atStandby, isBehind))[0]?.['behind'] === false,
      );
      await primary.server.crash();
      await queryPostgres(atStandby, 'select pg_promote()');
    },
  };
}

describeConnections('Steward while the primary changes', (bin) => {
  test('[STO11] goes on with the new primary, with everything that it had, and without a restart', async (context) => {
    const { expect, onTestFinished } = context;
    const { store, failOver } = await startFailoverPair(bin, context);
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const receiver = await startRecordingReceiver(() => 200);
    onTestFinished(() => receiver.close());
    const server = await startSteward({ data: join(folder.path, 'data'), env: { STEWARD_STORE: store } });
    onTestFinished(async () => void (await server.end('SIGKILL')));
    const { token } = await setUpWebhooks(server, receiver, POLICY, [PATH]);
    const publish = (name: string) => {
      const payload = JSON.stringify({ name, mustFail: false });
      return server.post(`/admin/services/${SERVICE}/events`, { token, event: 'order', payload, eventId: name });
    };
    const arrived = (): readonly string[] => receiver.arrivals.map(({ name }) => name);

    expect((await publish('before')).status).toBe(200);
    await until('the first event is delivered', () => arrived().includes('before'));
    await failOver();
    await until('an event is accepted', async () => (await publish('after')).status === 200);
    await until('the second event is delivered', () => arrived().includes('after'));
    await until('it is ready', async () => (await server.get('/readyz')).status === 200);
    const { body } = await publish('before');
    expect(body.events[0]).toMatchObject({ repeat: true });
    expect(await server.end('SIGTERM')).toBe(0);
  });
});
