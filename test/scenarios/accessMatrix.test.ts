import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/model/actor.ts';
import { ROLES } from '../../src/model/actor.ts';
import { localActor } from '../../src/model/actor.ts';
import { MINUTE } from '../../src/foundation/clock.ts';
import { INTERFACE } from '../../src/wire/client/interface.ts';
import { accessOperations } from '../../src/wire/operations/accessOperations.ts';
import { catalogOperations } from '../../src/wire/operations/catalogOperations.ts';
import { DEMO_TABLES } from '../../src/demo/demoTables.ts';
import { demoOperations } from '../../src/demo/demoOperations.ts';
import { inboxOperations } from '../../src/demo/receiver/inboxOperations.ts';
import { jobOperations } from '../../src/wire/operations/jobOperations.ts';
import { modeOperations } from '../../src/wire/operations/systemOperations.ts';
import { rootOperations } from '../../src/wire/operations/rootOperations.ts';
import type { Operation, Operations } from '../../src/wire/operations/operations.ts';
import { upgradeOperations } from '../../src/wire/operations/upgradeOperations.ts';
import { uploadOperations } from '../../src/wire/operations/uploadOperations.ts';
import {
  deliveryOperations,
  serviceWebhookOperations,
  systemWebhookOperations,
} from '../../src/wire/operations/webhookOperations.ts';
import { overviewOperations } from '../../src/wire/operations/systemOperations.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

/** One call of the table. Settings have two, because reading and changing them may need different roles. */
interface Case {
  readonly name: string;
  readonly path: string;
  readonly role: Role;
  readonly isRead: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

function prefixed(area: string, table: Operations): Readonly<Record<string, Operation>> {
  return Object.fromEntries(Object.entries(table).map(([name, operation]) => [`${area}${name}`, operation]));
}

const ALL: Readonly<Record<string, Operation>> = {
  ...rootOperations,
  ...accessOperations,
  ...prefixed('catalog ', catalogOperations),
  ...modeOperations,
  ...prefixed('system ', overviewOperations),
  ...prefixed('delivery ', deliveryOperations),
  ...prefixed('webhook ', serviceWebhookOperations),
  ...prefixed('system webhook ', systemWebhookOperations),
  ...prefixed('job ', jobOperations),
  ...prefixed('upload ', uploadOperations),
  ...prefixed('upgrade ', upgradeOperations),
  ...prefixed('demo ', demoOperations),
  ...prefixed('demo inbox ', inboxOperations),
};

function casesOf([name, operation]: readonly [string, Operation]): readonly Case[] {
  const { role, changeRole, kind, fields } = operation;
  if (role === 'anyone') return [];
  const path = `/admin${operation.path.replace('{service}', 'F/A.B').replace(/\{\w+\}/g, 'nobody')}`;
  const reading = { name: `${name} ${path}`, path, role, isRead: kind !== 'operation', fields: {} };
  if (kind !== 'settings' || changeRole === undefined) return [reading];
  const [first = ''] = Object.keys(fields);
  return [reading, { ...reading, name: `${name} ${path} (change)`, role: changeRole, fields: { [first]: 'false' } }];
}

const CASES = Object.entries(ALL).flatMap(casesOf);

describe('[ACC1] the access matrix', () => {
  let steward: InProcessServer;
  const tokens: Partial<Record<Role, string>> = {};
  let expired: string;
  let revoked: string;
  let foreign: string;

  beforeAll(async () => {
    steward = await startInProcess();
    const { access } = steward.areas;
    expired = await steward.tokenOf('administrator');
    steward.clock.advance(61 * MINUTE);
    for (const role of ROLES) tokens[role] = await steward.tokenOf(role);
    foreign = await steward.tokenOf('administrator', { client: 'referer', referer: 'https://elsewhere.example/' });
    const named = await access.tokens.createNamed(localActor('administrator'), {
      name: 'x',
      role: 'administrator',
      onlyService: undefined,
      minutes: 60,
    });
    revoked = named.secret;
    await access.tokens.revoke(named.token.id, localActor('administrator'));
  });
  afterAll(() => steward.close());

  test('the matrix has every route of the server', () => {
    const served = steward.routes().map(({ operation }) => operation);
    expect(new Set(served)).toEqual(new Set(Object.values(ALL)));
    expect(CASES.length).toBeGreaterThan(20);
  });

  test('[C2] clients can name every route of the server', () => {
    const named = new Set(
      Object.values<Operations>({ ...INTERFACE, ...DEMO_TABLES }).flatMap((table) => Object.values(table)),
    );
    const unnamed = steward.routes().filter(({ operation }) => !named.has(operation));
    expect(unnamed.map(({ operation }) => operation.path)).toEqual([]);
  });

  test('only the operations that issue tokens are open to anyone', () => {
    const open = Object.entries(ALL).filter(([, { role }]) => role === 'anyone');
    expect(open.map(([name]) => name)).toEqual(['generateToken', 'login']);
  });

  test('[IFC13] every route below system, security, uploads and the webhook settings is for administrators', () => {
    const lower = CASES.filter(
      ({ path, role }) =>
        /^\/admin\/(system|security|uploads|services\/webhooks\/settings)/.test(path) && role !== 'administrator',
    );
    expect(lower).toEqual([]);
  });

  describe.each(CASES)('the call $name', ({ path, role, isRead, fields }) => {
    test.each(['/admin', '/compat/admin'])(
      'is refused without its role, and answered with it, below %s',
      async (root) => {
        const url = path.replace('/admin', root);
        const isCompat = root !== '/admin';
        const call = (token: string | undefined) =>
          steward.post(url, { ...fields, ...(token === undefined ? {} : { token }) });
        const expectRefused = async (token: string | undefined, http: number, code: number): Promise<void> => {
          const { status, body } = await call(token);
          expect({ status, code: body.error.code }).toEqual({ status: isCompat ? 200 : http, code });
        };
        await expectRefused(undefined, 401, 499);
        await expectRefused('stw_nonsense', 401, 498);
        await expectRefused(expired, 401, 498);
        await expectRefused(revoked, 401, 498);
        await expectRefused(foreign, 401, 498);
        for (const lower of ROLES.slice(0, ROLES.indexOf(role))) await expectRefused(tokens[lower], 403, 403);
        for (const enough of ROLES.slice(ROLES.indexOf(role))) {
          // Calls that end the caller's own token have another test.
          if (path.endsWith('/logout')) continue;
          const { body } = await call(tokens[enough]);
          expect([401, 403, 498, 499]).not.toContain(body?.error?.code);
        }
        const byGet = await steward.app.inject({ method: 'GET', url: `${url}?token=${expired}` });
        expect(byGet.json().error.code).toBe(isRead ? 498 : 405);
      },
    );
  });

  test('a job is read and cancelled by its starter, whatever the role, and by no other user below administrator', async () => {
    const { must, post, areas } = steward;
    const token = tokens.publisher ?? '';
    const at = '/admin/services/Own.Job/webhooks';
    await must('/admin/services/createService', { token, serviceName: 'Own', type: 'Job' });
    const redeliver = async (asker: string): Promise<string> => {
      const wanted = { name: asker.slice(-9), hookUrl: 'https://receiver.example/' };
      const { webhook } = await must(`${at}/create`, { token: asker, ...wanted });
      return (await must(`${at}/${webhook.id}/redeliverFailed`, { token: asker })).jobId;
    };
    const jobId = await redeliver(token);
    const by = { ...localActor('publisher'), role: 'publisher' } as const;
    const wanted = { name: 'own', role: 'publisher', onlyService: 'Own.Job', minutes: 5 } as const;
    const machine = (await areas.access.tokens.createNamed(by, wanted)).secret;
    const started = await redeliver(machine);
    const codesOf = async (job: string, asker: string | undefined) => {
      const fields = { token: asker ?? '', f: 'json' };
      const codes: number[] = [];
      for (const verb of ['', '/messages', '/pause', '/retry', '/cancel'])
        codes.push((await post(`/admin/system/jobs/${job}${verb}`, fields)).status);
      return codes;
    };
    expect(await codesOf(jobId, tokens.viewer)).toEqual([403, 403, 403, 403, 403]);
    expect(await codesOf(jobId, machine)).toEqual([403, 403, 403, 403, 403]);
    expect(await codesOf(started, machine)).toEqual([200, 200, 403, 403, 200]);
    expect(await codesOf(jobId, token)).toEqual([200, 200, 403, 403, 200]);
    expect((await codesOf(started, token)).slice(0, 3)).toEqual([200, 200, 403]);
    expect((await post('/admin/system/jobs', { token })).status).toBe(403);
  });

  test('[ACC9] [DEC9] a token for one service reaches only that service and the lists', async () => {
    const by = localActor('administrator');
    const { secret: token } = await steward.areas.access.tokens.createNamed(by, {
      name: 'one',
      role: 'publisher',
      onlyService: 'F/A.B',
      minutes: 5,
    });
    const codeOf = async (path: string, fields = {}) =>
      (await steward.post(`/admin${path}`, { token, ...fields })).body.error?.code ?? 200;
    expect(await codeOf('/services/F/A.B/stop')).toBe(404);
    expect(await codeOf('/services/F/C.D/stop')).toBe(403);
    expect(await codeOf('/services/A.B/stop')).toBe(403);
    expect(await codeOf('/services/F/C.D')).toBe(403);
    expect(await codeOf('/services/createFolder', { folderName: 'X' })).toBe(403);
    expect(await codeOf('/services')).toBe(200);
    expect(await codeOf('/security/users')).toBe(403);
    const { secret } = await steward.areas.access.tokens.createNamed(by, {
      name: 'all',
      role: 'administrator',
      onlyService: 'F/A.B',
      minutes: 5,
    });
    expect((await steward.post('/admin/mode', { token: secret, isReadOnly: 'true' })).status).toBe(403);
  });
});
