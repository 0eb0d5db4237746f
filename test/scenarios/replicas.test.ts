import { Client } from 'pg';
import type { TestContext } from 'vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECOND } from '../../src/foundation/clock.ts';
import { manualClock } from '../support/clock/manualClock.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { randomPause, until } from '../support/run/until.ts';
import { postgresKind, rowsOf } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

type Made = Awaited<ReturnType<typeof postgresKind.place>>;

describe.skipIf(!postgresKind.isHere)(`replicas ${postgresKind.title}`, () => {
  const folder = temporaryFolder();
  let made: Made;
  let replicas: readonly StewardProcess[] = [];

  async function start(count: number): Promise<readonly StewardProcess[]> {
    const env = { STEWARD_STORE: made.place.at };
    return Promise.all(Array.from({ length: count }, (_, n) => startSteward({ data: `${folder.path}/${n}`, env })));
  }

  beforeAll(async () => {
    made = await postgresKind.place();
    replicas = await start(10);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((one) => one.end('SIGKILL')));
    await made.remove();
    folder.remove();
  });

  test('[STO1] when ten replicas start on an empty store, one migrates it and all serve', async () => {
    const migrated = replicas.filter((one) => one.log().includes('the schema of the store was upgraded'));
    expect(migrated).toHaveLength(1);
    const ready = await Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/readyz`)).status));
    expect(ready).toEqual(replicas.map(() => 200));
    expect(await rowsOf(made.place, 'account')).toHaveLength(1);
  });

  test('[ACC6] a token of one replica works on all, and a revoked one soon works on none', async () => {
    const [one] = replicas;
    if (one === undefined) throw new Error('no replica');
    const admin = await one.token();
    const { body } = await one.post('/admin/security/tokens/create', { token: admin, name: 'ci', role: 'viewer' });
    const codes = () =>
      Promise.all(replicas.map(async (replica) => (await replica.post('/admin/mode', { token: body.token })).status));
    expect(await codes()).toEqual(replicas.map(() => 200));
    await one.post(`/admin/security/tokens/${body.item.id}/revoke`, { token: admin });
    expect((await one.post('/admin/mode', { token: body.token })).status).toBe(401);
    await until('no replica accepts the token', async () => (await codes()).every((code) => code === 401));
  });

  test('a service that is published on one replica is soon listed by all', async () => {
    const [one, ...others] = replicas;
    const token = (await one?.token()) ?? '';
    await Promise.all(others.map((other) => other.post('/admin/services', { token })));
    expect(
      (await one?.post('/admin/services/createService', { token, serviceName: 'Everywhere', type: 'Map' }))?.status,
    ).toBe(200);
    const names = async (replica: StewardProcess): Promise<readonly string[]> =>
      (await replica.must('/admin/services', { token })).services.map(
        ({ serviceName }: { serviceName: string }) => serviceName,
      );
    await until('every replica lists the service', async () => {
      const listed = await Promise.all(replicas.map(names));
      return listed.every((list) => list.join() === 'Everywhere');
    });
  });

  test('no update is lost when fifty clients change the same records on three replicas', async () => {
    const three = replicas.slice(0, 3);
    const token = (await three[0]?.token()) ?? '';
    const names = ['One', 'Two', 'Three'];
    // An inactive webhook: events are stored for it, and none is sent.
    const hook = { name: 'all', hookUrl: 'http://127.0.0.1:1/', active: 'false' };
    expect((await three[0]?.post('/admin/system/webhooks/create', { token, ...hook }))?.status).toBe(200);
    for (const serviceName of names)
      await three[0]?.post('/admin/services/createService', { token, serviceName, type: 'Counter', description: '0' });
    /** Reads the number, adds one, and writes it if no one else has written in between; repeats this until it succeeds. */
    async function count(replica: StewardProcess, name: string): Promise<void> {
      for (;;) {
        const { body: before } = await replica.post(`/admin/services/${name}.Counter`, { token });
        const fields = {
          token,
          description: String(Number(before.description) + 1),
          ifRevision: String(before.revision),
        };
        const { status } = await replica.post(`/admin/services/${name}.Counter/edit`, fields);
        if (status === 200) return;
        if (status !== 409) throw new Error(`answered ${status}`);
        await randomPause(20);
      }
    }
    const clients = Array.from({ length: 50 }, (_, n) => {
      const replica = three[n % 3];
      if (replica === undefined) throw new Error('no replica');
      return count(replica, names[n % names.length] ?? '');
    });
    await Promise.all(clients);
    const services = (await rowsOf(made.place, 'service')).filter(({ type }) => type === 'Counter');
    expect(services.reduce((sum, { description }) => sum + Number(description), 0)).toBe(50);
    expect(services.reduce((sum, { revision }) => sum + Number(revision), 0)).toBe(50 + names.length);
    await until('the outbox is empty', async () => (await rowsOf(made.place, 'outbox')).length === 0);
    const events = (await rowsOf(made.place, 'event')).filter(({ type }) => type === 'Counter');
    const notes = (await rowsOf(made.place, 'audit')).filter(({ target }) => String(target).endsWith('.Counter'));
    expect({ events: events.length, notes: notes.length }).toEqual({ events: 53, notes: 53 });
  });

  test('a connection that breaks during a write fails that write, and the process goes on', async () => {
    const [one] = replicas;
    const token = (await one?.token()) ?? '';
    const [blocker, watcher] = [1, 2].map(() => new Client({ connectionString: made.place.at }));
    if (blocker === undefined || watcher === undefined) throw new Error('no clients');
    await Promise.all([blocker.connect(), watcher.connect()]);
    await blocker.query('begin; lock table folder in access exclusive mode');
    const write = one?.post('/admin/services/createFolder', { token, folderName: 'Cut' });
    const waiting = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'steward' and wait_event_type = 'Lock' and query like '%folder%'`;
    let ended = 0;
    await until('the write waits for the lock', async () => {
      ended = (await watcher.query(waiting)).rowCount ?? 0;
      return ended > 0;
    });
    expect(ended).toBe(1);
    expect((await write)?.status).toBe(503);
    await blocker.query('rollback');
    await Promise.all([blocker.end(), watcher.end()]);
    expect((await one?.post('/admin/services/createFolder', { token, folderName: 'Cut' }))?.status).toBe(200);
  });

  test('[UPG14] a write that races with read-only mode comes before it or is refused', async () => {
    const three = replicas.slice(0, 3);
    const token = (await three[0]?.token()) ?? '';
    const writes = Array.from({ length: 60 }, async (_, n) => {
      const answered = await three[n % 3]?.post('/admin/services/createFolder', { token, folderName: `Race${n}` });
      return answered?.status ?? 0;
    });
    await randomPause(10);
    const entered = await three[1]?.post('/admin/mode', { token, isReadOnly: 'true', message: 'racing' });
    expect(entered?.status).toBe(200);
    const statuses = await Promise.all(writes);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const audit = (await rowsOf(made.place, 'audit')).map(({ id, action, target }) => ({
      id: Number(id),
      action,
      target: String(target),
    }));
    const entry = audit.findLast(({ action }) => action === 'mode.change')?.id ?? 0;
    const created = audit.filter(
      ({ action, target }) => action === 'folder.create' && target.startsWith('folder Race'),
    );
    expect(created).toHaveLength(statuses.filter((status) => status === 200).length);
    expect(created.filter(({ id }) => id > entry)).toEqual([]);
    const refused = await three[2]?.post('/admin/services/createFolder', { token, folderName: 'TooLate' });
    expect(refused).toMatchObject({ status: 503, body: { error: { details: ['racing'] } } });
    expect(refused?.headers.get('retry-after')).toBe('60');
    await three[0]?.post('/admin/mode', { token, isReadOnly: 'false' });
  });
});

describe.skipIf(!postgresKind.isHere)(`two servers on one clock and one store ${postgresKind.title}`, () => {
  async function startTwo(onTestFinished: TestContext['onTestFinished']) {
    const { place, remove } = await postgresKind.place();
    onTestFinished(() => remove());
    const clock = manualClock();
    const servers = await Promise.all([1, 2].map(() => startInProcess({}, {}, { place, clock })));
    onTestFinished(async () => {
      await Promise.all(servers.map((server) => server.close()));
    });
    const [one, two] = servers;
    if (one === undefined || two === undefined) throw new Error('two servers were started');
    return { one, two, clock };
  }

  test('[ACC6] a token that is revoked on one server is refused by the other within a second', async ({
    onTestFinished,
  }) => {
    const { one, two, clock } = await startTwo(onTestFinished);
    const admin = await one.tokenOf('administrator');
    const made = await one.must('/admin/security/tokens/create', { token: admin, name: 'ci', role: 'viewer' });
    expect((await two.post('/admin/mode', { token: made.token })).status).toBe(200);
    await one.must(`/admin/security/tokens/${made.item.id}/revoke`, { token: admin });
    expect((await one.post('/admin/mode', { token: made.token })).status).toBe(401);
    await clock.pass(SECOND);
    expect((await two.post('/admin/mode', { token: made.token })).status).toBe(401);
  });

  const ENDS: readonly (readonly [what: string, verb: string, fields: Readonly<Record<string, string>>])[] = [
    ['the creator is deleted', '/delete', {}],
    ['the creator gets another password', '/edit', { password: 'a long second password' }],
    ['all tokens of the creator are revoked', '/revokeAll', {}],
  ];
  test.for(ENDS)(
    '[ACC10] a named token ends on every server within a second after %s',
    async ([, verb, fields], { onTestFinished }) => {
      const { one, two, clock } = await startTwo(onTestFinished);
      const token = await one.tokenOf('administrator');
      const account = { username: 'ann', password: 'a long first password' };
      await one.must('/admin/security/users/create', { token, ...account, role: 'administrator' });
      const ann = await one.must('/admin/generateToken', account);
      const wanted = { token: ann.token, name: 'ci', role: 'publisher' };
      const { token: machine } = await one.must('/admin/security/tokens/create', wanted);
      const role = async () => (await two.post('/admin/session', { token: machine })).body.role;
      expect(await role()).toBe('publisher');
      await one.must('/admin/security/users/ann/edit', { token, role: 'viewer' });
      await clock.pass(SECOND);
      expect(await role()).toBe('viewer');
      await one.must(`/admin/security/users/ann${verb}`, { token, ...fields });
      await clock.pass(SECOND);
      expect((await two.post('/admin/session', { token: machine })).status).toBe(401);
    },
  );

  test('a service that is published on one server is listed by the other within a second', async ({
    onTestFinished,
  }) => {
    const { one, two, clock } = await startTwo(onTestFinished);
    const token = await one.tokenOf('administrator');
    await two.must('/admin/services', { token });
    await one.must('/admin/services/createService', { token, serviceName: 'Everywhere', type: 'Map' });
    await clock.pass(SECOND);
    expect((await two.must('/admin/services', { token })).services).toMatchObject([{ serviceName: 'Everywhere' }]);
  });
});
