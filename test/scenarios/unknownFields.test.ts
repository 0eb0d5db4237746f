import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import type { OpenapiDocument } from '../support/server/openapiDocument.ts';
import { fieldsOf } from '../support/server/openapiDocument.ts';

/** One operation of the OpenAPI description, which is made from the table of operations. */
interface Row {
  readonly path: string;
  readonly fields: readonly string[];
  readonly isResource: boolean;
}

const FORM = 'application/x-www-form-urlencoded';
const COMMON = new Set(['f', 'token']);

let steward: InProcessServer;
let token: string;
let rows: readonly Row[];

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
  const document: OpenapiDocument = (await steward.get('/openapi.json')).body;
  rows = Object.entries(document.paths).map(([path, { get, post }]) => ({
    path: path.replace('{service}', 'F/A.B').replace(/\{\w+\}/g, 'nobody'),
    fields: Object.keys(fieldsOf(document, post)).filter((name) => !COMMON.has(name)),
    isResource: get !== undefined,
  }));
});
afterAll(() => steward.close());

/** Returns the cases for which the check does not hold. */
async function failing<C>(cases: readonly C[], holds: (one: C) => Promise<boolean>): Promise<readonly C[]> {
  const found: C[] = [];
  for (const one of cases) if (!(await holds(one))) found.push(one);
  return found;
}

const strict = (): readonly Row[] => rows.filter(({ path }) => path !== '/admin/generateToken');
const detailsOf = async (path: string, fields: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  (await steward.post(path, { token, ...fields })).body?.error?.details ?? [];

/** Returns the details that are about this field. */
async function about(name: string, path: string, value = 'true'): Promise<readonly string[]> {
  return (await detailsOf(path, { [name]: value })).filter((detail) => detail.startsWith(`${name}: `));
}

const onBoth = (path: string): readonly string[] => [path, path.replace('/admin', '/compat/admin')];

async function postTwice(path: string, name: string): Promise<readonly string[]> {
  const sent = await steward.app.inject({
    method: 'POST',
    url: path,
    payload: `token=${token}&${name}=a&${name}=b`,
    headers: { 'content-type': FORM },
  });
  return sent.json().error.details;
}

describe('[REQ3] an unknown field', () => {
  test('an unknown field is refused by every operation, in the form and in the query', async () => {
    expect(rows.length).toBeGreaterThan(80);
    const isRefused = async ({ path }: Row): Promise<boolean> => {
      const [inForm, inQuery] = [await about('colour', path), await detailsOf(`${path}?colour=red`, {})];
      return [inForm, inQuery].every((details) => details.join().includes('colour: unknown field'));
    };
    expect(await failing(strict(), isRefused)).toEqual([]);
    const resources = strict().filter(({ isResource }) => isResource);
    const isRefusedByGet = async ({ path }: Row): Promise<boolean> =>
      (await steward.get(`${path}?colour=red&token=${token}`)).status === 400;
    expect(await failing(resources, isRefusedByGet)).toEqual([]);
  });

  test('an unknown field of an entry in events is refused, so that a misspelled eventId is not lost', async () => {
    const events = JSON.stringify([
      { event: 'a', payload: 1 },
      { event: 'a', payload: 1, eventid: 'once' },
    ]);
    expect(await detailsOf('/admin/services/Unknown.Map/events', { token, events })).toEqual([
      'events: entry 2: unknown field `eventid`; the nearest known field is eventId',
    ]);
  });

  test('an unknown field is answered with the nearest known field', async () => {
    const typos = strict().flatMap(({ path, fields }) => fields.map((name) => ({ path, name })));
    const isNamed = async ({ path, name }: (typeof typos)[number]): Promise<boolean> =>
      (await about(`${name}x`, path)).join().includes(`nearest known field is ${name} `);
    expect(await failing(typos, isNamed)).toEqual([]);
    expect(await about('changeType', '/admin/services/A.B/webhooks/create')).toEqual([
      expect.stringMatching(/^changeType: unknown field; the nearest known field is changeTypes /),
    ]);
    expect((await about('id', '/admin/services/A.B/delete')).join()).toContain('f, token, _, csrfToken');
  });

  test('an unknown field is ignored by generateToken, the JSON catalog and the compat interface', async () => {
    const login = { username: 'administrator', password: 'password-of-the-test', colour: 'red' };
    const tokenServices = ['/tokens/generateToken', '/admin/generateToken', '/compat/admin/generateToken'];
    expect(await failing(tokenServices, async (path) => (await steward.post(path, login)).status === 200)).toEqual([]);
    const catalog = ['/rest/services', '/rest/info'];
    expect(await failing(catalog, async (path) => (await steward.get(`${path}?colour=red`)).status === 200)).toEqual(
      [],
    );
    const compat = strict().map(({ path }) => path.replace('/admin', '/compat/admin'));
    const others = compat.filter((path) => !path.endsWith('/logout'));
    expect(await failing(others, async (path) => (await about('colour', path)).length === 0)).toEqual([]);
  });

  test('an unknown field without a value counts as absent', async () => {
    expect((await steward.post('/admin/mode', { token, colour: '' })).status).toBe(200);
  });

  test('the fields f, token, _ and csrfToken are known everywhere', async () => {
    const isKnown = async ({ path }: Row): Promise<boolean> => {
      const details = await detailsOf(path, { f: 'json', _: '1', csrfToken: 'x' });
      if (path.endsWith('/logout')) token = await steward.tokenOf('administrator');
      return !details.join().includes('unknown field');
    };
    expect(await failing(rows, isKnown)).toEqual([]);
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'the name %s is an unknown field like any other',
    async (name) => {
      expect(await postTwice('/admin/mode', name)).toEqual([expect.stringContaining(`${name}: unknown field`)]);
    },
  );

  test('many unknown fields are reported up to a limit, and a long name is shortened', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`field${n}`, '1']));
    expect(await detailsOf('/admin/mode', many)).toHaveLength(11);
    const [long = ''] = await detailsOf('/admin/mode', { ['x'.repeat(500_000)]: '1' });
    expect(long.length).toBeLessThan(300);
  });
});

describe('[REQ3] a field that is sent twice', () => {
  test('a field that is sent twice is refused by every operation', async () => {
    const cases = rows.flatMap(({ path, fields }) =>
      [...fields, 'f', '_', 'csrfToken'].map((name) => ({ path, name })),
    );
    const isRefused = async ({ path, name }: (typeof cases)[number]): Promise<boolean> =>
      (await postTwice(path, name)).includes(`${name}: was sent more than once`);
    expect(await failing(cases, isRefused)).toEqual([]);
  });

  test.each(['/admin/mode', '/rest/services', '/compat/admin/mode'])(
    'a token that is sent twice to %s is refused',
    async (path) => {
      const { body } = await steward.get(`${path}?token=${token}&token=${token}`);
      expect(body.error.details).toEqual(['token: was sent more than once']);
    },
  );
});

describe('[REQ3] a dry run', () => {
  const changing = (): readonly Row[] => rows.filter(({ isResource, path }) => !isResource || path.endsWith('/mode'));

  test('a dry run is refused by every operation that has none, on both interfaces, in any spelling', async () => {
    const cases = changing()
      .filter(({ fields }) => !fields.includes('dryRun'))
      .flatMap(({ path }) => onBoth(path));
    const isRefused = async (path: string): Promise<boolean> => {
      for (const spelling of ['dryRun', 'dryrun', 'dry_run', 'DryRun'])
        if (!(await about(spelling, path)).join().includes('nothing was changed')) return false;
      return (await about('dryRun', path, '')).length === 1;
    };
    expect(await failing(cases, isRefused)).toEqual([]);
  });

  test('a dry run without a value, or in another spelling, is refused by operations that have one', async () => {
    const cases = changing()
      .filter(({ fields }) => fields.includes('dryRun'))
      .flatMap(({ path }) => onBoth(path));
    expect(cases.length).toBeGreaterThan(4);
    const isRefused = async (path: string): Promise<boolean> =>
      (await about('dryRun', path, '')).join() === 'dryRun: must be true or false, not empty' &&
      (await about('dryRun', path, 'yes')).length === 1 &&
      (await about('dryrun', path)).join().includes('nearest known field is dryRun');
    expect(await failing(cases, isRefused)).toEqual([]);
  });

  test('a refused dry run changes nothing', async () => {
    await steward.must('/admin/services/createService', { token, serviceName: 'Kept', type: 'Map' });
    for (const path of onBoth('/admin/services/Kept.Map/delete'))
      expect((await steward.post(path, { token, dryRun: 'true' })).body.status).toBe('error');
    expect((await steward.post('/admin/services/Kept.Map', { token })).status).toBe(200);
    await steward.post('/compat/admin/mode', { token, isReadOnly: 'true', dryRun: 'true' });
    expect((await steward.post('/admin/mode', { token })).body.isReadOnly).toBe(false);
  });
});

describe('[O7] settings', () => {
  const settings = () =>
    steward.routes().flatMap(({ operation: { kind, path, fields, aliases = [] } }) => {
      const at = [...onBoth(`/admin${path}`), ...aliases];
      return kind === 'settings' ? at.flatMap((url) => Object.keys(fields).map((name) => ({ url, name }))) : [];
    });

  test('[WHK1] GET with a field that only POST takes is refused and names POST, on both interfaces', async () => {
    expect(settings().length).toBeGreaterThan(15);
    const isRefused = async ({ url, name }: { readonly url: string; readonly name: string }): Promise<boolean> => {
      const { body } = await steward.get(`${url}?${name}=true&token=${token}`);
      return body.error?.code === 400 && body.error.details.join().includes(`${name}: only POST takes this field`);
    };
    expect(await failing(settings(), isRefused)).toEqual([]);
    const isRead = async ({ url, name }: { readonly url: string; readonly name: string }): Promise<boolean> =>
      (await steward.get(`${url}?${name}=&f=json&_=1&token=${token}`)).body.error === undefined;
    expect(await failing(settings(), isRead)).toEqual([]);
  });

  test('[WHK1] GET mode?isReadOnly=true changes nothing, and says so', async () => {
    const { status, body } = await steward.get(`/admin/mode?isReadOnly=true&token=${token}`);
    expect([status, body.error.details]).toEqual([
      400,
      ['isReadOnly: only POST takes this field; GET reads the settings, and nothing was changed'],
    ]);
    expect((await steward.post('/admin/mode', { token })).body.isReadOnly).toBe(false);
  });

  test('[WHK1] the record of any settings can be posted back as it was read; its status is ignored', async () => {
    for (const url of new Set(settings().map((one) => one.url))) {
      const { body: record } = await steward.post(url, { token });
      const posted = await steward.app.inject({
        method: 'POST',
        url,
        payload: { token, ...record, status: 'success' },
      });
      expect(posted.json()).toEqual({ ...record, status: 'success' });
    }
    const { body } = await steward.post('/admin/services/webhooks/settings', { token, status: 'error' });
    expect(body.status).toBe('success');
    expect(await about('status', '/admin/services/createService')).toHaveLength(1);
  });
});
