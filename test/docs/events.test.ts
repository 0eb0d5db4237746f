import { unsignedManifest } from '../../src/upgrades/versions/acceptManifest.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localActor } from '../../src/model/actor.ts';
import { silentLog } from '../../src/foundation/log.ts';
import type { Loop } from '../../src/foundation/flow/loop.ts';
import { startJobRunner } from '../../src/jobs/jobRunner.ts';
import { demoProduct } from '../../src/demo/deployment/demoProduct.ts';
import type { Courier } from '../../src/webhooks/delivery/courier.ts';
import { OWN_EVENTS, TEST_EVENT } from '../../src/webhooks/events/event.ts';
import { PROJECT } from '../support/run/project.ts';
import type { Client } from '../support/server/client.ts';
import { createClient, inProcessTransport } from '../support/server/client.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';

/** The part of JSON Schema that docs/events.md uses. */
interface Schema {
  readonly type?: 'object' | 'string' | 'integer';
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

interface Body {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly service: { readonly folder: string; readonly name: string; readonly type: string };
  readonly sequence: number;
}

interface Documented {
  readonly to: string;
  readonly schema: Schema;
  readonly sample: Body;
}

const KEYWORDS = new Set(['type', 'enum', 'properties', 'required', 'additionalProperties']);

function hasType(type: NonNullable<Schema['type']>, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  return type === 'string' ? typeof value === 'string' : typeof value === 'object' && value !== null;
}

/** The problems of a value, each with its path. */
function problemsWith(schema: Schema, value: unknown, at = 'data'): readonly string[] {
  const unknown = Object.keys(schema).filter((key) => !KEYWORDS.has(key));
  if (unknown.length > 0) return [`${at}: the schema has ${unknown.join(', ')}, which is not understood here`];
  if (schema.type !== undefined && !hasType(schema.type, value)) return [`${at} is no ${schema.type}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum.join(', ')}`];
  if (schema.type !== 'object') return [];
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(value as object);
  return [
    ...required.filter((key) => !members.some(([name]) => name === key)).map((key) => `${at}.${key} is missing`),
    ...members.flatMap(([name, member]) => {
      const inner = properties[name];
      if (inner !== undefined) return problemsWith(inner, member, `${at}.${name}`);
      return schema.additionalProperties === false ? [`${at}.${name} is not in the schema`] : [];
    }),
  ];
}

/** Each section has a table of types, then a schema, then a sample of each type. */
function documentedEvents(page: string): ReadonlyMap<string, Documented> {
  const found = page.split(/^## /m).flatMap((section) => {
    const rows = [...section.matchAll(/^\| `([\w.]+)` \| .+ \| (.+) \|$/gm)];
    const blocks = [...section.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text) as unknown);
    const schema = blocks[0] as Schema;
    const samples = blocks.slice(1) as readonly Body[];
    return rows.map(([, type = '', to = '']) => {
      const sample = samples.find((one) => one.type === type);
      if (sample === undefined) throw new Error(`${type} has no sample`);
      return [type, { to, schema, sample }] as const;
    });
  });
  return new Map(found);
}

/** The names in their order, with the types of their values. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value).map(([name, member]) => [name, shapeOf(member)]);
}

const documented = documentedEvents(readFileSync(join(PROJECT, 'docs/events.md'), 'utf8'));
const TYPES = [...OWN_EVENTS, TEST_EVENT];
const PATCH = 'pat_10.9.1.1842';
const SERVICE = '/admin/services/Finance/Invoices.Report';

let steward: InProcessServer;
let courier: Courier;
let runner: Loop;
let must: Client['must'];
/** By the last part of the receiver's address. `service`, `naming` and `failing` belong to one service, `other` to another. */
const received: Record<string, Body[]> = {};
let failingId: string;

function receivedBy(who: string): readonly string[] {
  return (received[who] ?? []).map(({ type }) => type);
}

/** Lets the courier's time pass until a condition holds. */
async function until(what: string, isTrue: () => boolean): Promise<void> {
  await steward.clock.untilTrue(`${what}; there is ${JSON.stringify(received, undefined, 1)}`, isTrue);
}

const arrives = (type: string, who = 'system', times = 1): Promise<void> =>
  until(`${type} arrives at ${who}`, () => receivedBy(who).filter((one) => one === type).length >= times);

async function subscribe(path: string, name: string, changeTypes = '*'): Promise<string> {
  const made = await must(`${path}/create`, { name, changeTypes, hookUrl: `https://receiver.example/${name}` });
  return made.webhook.id as string;
}

/** Causes every event of Steward, one after the other. */
async function makeAllHappen(): Promise<void> {
  const invoices = { folderName: 'Finance', serviceName: 'Invoices', type: 'Report' };
  await subscribe('/admin/system/webhooks', 'system');
  await must('/admin/services/createFolder', { folderName: 'Finance' });
  await must('/admin/services/createService', invoices);
  await must('/admin/services/createService', { serviceName: 'Other', type: 'Report' });
  await arrives('service.created', 'system', 2);
  await subscribe(`${SERVICE}/webhooks`, 'service');
  await subscribe('/admin/services/Other.Report/webhooks', 'other');
  // The webhooks of a deleted service stay, so they get both events.
  await must(`${SERVICE}/delete`);
  await must('/admin/services/createService', invoices);
  await must(`${SERVICE}/edit`, { description: 'Invoices of the month', access: 'public' });
  await must(`${SERVICE}/stop`);
  await must(`${SERVICE}/start`);
  await arrives('service.started', 'service');

  failingId = await subscribe(`${SERVICE}/webhooks`, 'failing');
  await subscribe(`${SERVICE}/webhooks`, 'naming', 'webhook.failing,webhook.deactivated');
  await must('/admin/services/webhooks/settings', { notificationAttempts: '1', numberOfFailures: '4' });
  for (const [event, then] of [
    ['one', undefined],
    ['two', 'webhook.failing'],
    ['three', undefined],
    ['four', 'webhook.deactivated'],
  ] as const) {
    await must(`${SERVICE}/events`, { event, payload: '{"n": 1.0}' });
    await (then === undefined ? arrives(event, 'failing') : arrives(then));
  }
  await must(`${SERVICE}/webhooks/${failingId}/test`);

  await must('/admin/mode', { isReadOnly: 'true', message: 'Back at noon' });
  await must('/admin/mode', { isReadOnly: 'false' });
  await arrives('readOnly.left');
  await arrives('webhook.deactivated', 'naming');

  // One upgrade is rolled back, and one succeeds.
  const fault = await steward.simulated.addFault({ kind: 'crashLoop' });
  await must('/admin/system/upgrades/upgrade', { versionManifest: PATCH });
  await arrives('upgrade.failed');
  await steward.simulated.removeFaults(fault.id);
  await must('/admin/system/upgrades/upgrade', { versionManifest: PATCH });
  await arrives('upgrade.completed');
}

/** Fills a small simulated deployment and starts a job runner. */
async function simulate(): Promise<void> {
  const { areas, simulated, store, clock } = steward;
  const { inventory, versions } = demoProduct(4);
  await simulated.startOver(inventory);
  await simulated.changeSettings({ rolloutMs: 50 });
  await areas.upgrades.adopt(localActor('test'), 'rel_10.9.1', unsignedManifest(versions), {
    isDryRun: false,
    force: true,
  });
  runner = startJobRunner({
    store: store.jobs,
    kinds: areas.upgrades.jobKinds(),
    clock,
    log: silentLog,
    owner: 'test',
  });
}

beforeAll(async () => {
  steward = await startInProcess();
  steward.receiver.answerWith(({ url, body }) => {
    const who = url.split('/').at(-1) ?? '';
    (received[who] ??= []).push(JSON.parse(body) as Body);
    return who === 'failing' ? BROKEN : OK;
  });
  must = createClient(inProcessTransport(steward.app), await steward.tokenOf('administrator')).must;
  courier = steward.areas.webhooks.startCourier();
  await simulate();
  await makeAllHappen();
});

afterAll(async () => {
  await steward.clock.until('courier and runner stop', Promise.all([courier.stop(), runner.stop()]));
  await steward.close();
});

test('[WHK13] [WHK4] docs/events.md documents every event of Steward, and no other', () => {
  expect([...documented.keys()].toSorted()).toEqual([...TYPES].toSorted());
});

describe.each(TYPES)('the event %s', (type) => {
  const { to, schema, sample } = documented.get(type) ?? { to: '', schema: {}, sample: undefined };
  const delivered = () => Object.values(received).flatMap((bodies) => bodies.filter((body) => body.type === type));

  test('[WHK13] [WHK4] the delivered event fits its schema', () => {
    expect(delivered()).not.toEqual([]);
    expect(delivered().flatMap(({ data }) => problemsWith(schema, data))).toEqual([]);
  });

  test('[WHK13] the sample of the page has the shape of the delivered event', () => {
    expect(problemsWith(schema, sample?.data)).toEqual([]);
    expect(shapeOf(sample)).toEqual(shapeOf(delivered()[0]));
    expect(new Date(sample?.timestamp ?? '').toISOString()).toBe(sample?.timestamp);
  });

  test('[WHK14] the event goes to the webhooks that the page names', () => {
    const whom = {
      system: ['system'],
      'system, service': ['system', 'service'],
      'system, service by name': ['system', 'naming'],
      'that webhook alone': ['failing'],
    }[to];
    expect(Object.keys(received).filter((who) => receivedBy(who).includes(type))).toEqual(whom);
  });
});

test('[WHK13] the body of a delivery has its fields in order, the payload as it was sent, and a sequence per service', () => {
  const request = steward.receiver.sent.find(({ body }) => body.includes('"type":"one"'));
  expect(request?.body).toMatch(
    /^\{"type":"one","timestamp":"2026-01-01T[\d:.]+Z","data":\{"n": 1\.0\},"service":\{"folder":"Finance","name":"Invoices","type":"Report"\},"sequence":\d+\}$/,
  );
  const counts = (folder: string) =>
    (received['system'] ?? []).filter(({ service }) => service.folder === folder).map(({ sequence }) => sequence);
  expect(new Set(counts('Finance')).size).toBe(counts('Finance').length);
  // Read-only mode belongs to no service: its sequence is separate from that of the services.
  expect((received['system'] ?? []).find(({ type }) => type === 'readOnly.entered')?.sequence).toBe(1);
});

test('[WHK13] an upgrade announces its start and its end, with the job, the versions and the state', () => {
  const told = (received['system'] ?? [])
    .filter(({ type }) => type.startsWith('upgrade.'))
    .toSorted((one, other) => one.sequence - other.sequence);
  const whole = { kind: 'upgrade', id: PATCH, from: '10.9.1.1800', to: '10.9.1.1842', simulated: true };
  expect(told).toMatchObject([
    { type: 'upgrade.started', data: whole },
    { type: 'upgrade.failed', data: { ...whole, state: 'rolled_back' } },
    { type: 'upgrade.started', data: whole },
    { type: 'upgrade.completed', data: { ...whole, state: 'success' } },
  ]);
  const jobs = told.map(({ data }) => data['jobId']);
  expect([jobs[0] === jobs[1], jobs[2] === jobs[3], jobs[1] === jobs[2]]).toEqual([true, true, false]);
});

test('[WHK14] [DEC33] a webhook does not hear of its own failures and deactivation, and system webhooks do not hear what services publish', () => {
  expect(receivedBy('failing')).toEqual(['one', 'two', 'three', 'four', TEST_EVENT]);
  expect(receivedBy('system').filter((type) => !TYPES.some((own) => own === type))).toEqual([]);
  expect(received['other']).toBeUndefined();
  expect((received['system'] ?? []).find(({ type }) => type === 'webhook.deactivated')).toMatchObject({
    data: {
      webhookId: failingId,
      name: 'failing',
      failures: 4,
      allowed: 4,
      reason: '4 deliveries failed within 5 days.',
    },
    service: { folder: 'Finance', name: 'Invoices', type: 'Report' },
  });
});

test('[W22] [WHK3] the page says how a list with * is stored and shown, as the server does', async () => {
  const page = readFileSync(join(PROJECT, 'docs/events.md'), 'utf8').replaceAll('\n', ' ');
  const [, sent = '', shown = ''] = /`(\*,[^`]+)` is stored and shown as `(\[[^`]+\])`/.exec(page) ?? [];
  expect(sent.split(',')).toHaveLength(3);
  const token = await steward.tokenOf('administrator');
  const fields = { token, name: 'everything', hookUrl: 'https://receiver.example/', changeTypes: `${sent},*` };
  const at = '/admin/system/webhooks';
  const { webhook } = await steward.must(`${at}/create`, fields);
  for (const { changeTypes } of [webhook, await steward.must(`${at}/${webhook.id}`, { token })])
    expect(JSON.stringify(changeTypes)).toBe(shown);
});

describe('the guard of the schemas', () => {
  const schema: Schema = {
    type: 'object',
    properties: { a: { type: 'string' }, n: { type: 'integer' }, e: { enum: ['x'] } },
    required: ['a'],
    additionalProperties: false,
  };
  test.each([
    [{ a: '', n: 1, e: 'x' }, []],
    [{}, ['data.a is missing']],
    [{ a: 1 }, ['data.a is no string']],
    [{ a: '', n: 1.5 }, ['data.n is no integer']],
    [{ a: '', e: 'y' }, ['data.e is none of x']],
    [{ a: '', more: 1 }, ['data.more is not in the schema']],
    [null, ['data is no object']],
  ])('reports for %j the problems %j', (value, problems) => {
    expect(problemsWith(schema, value)).toEqual(problems);
  });

  test('reports a schema that it does not understand', () => {
    expect(problemsWith({ pattern: '^x' } as Schema, 'y')).toEqual([
      'data: the schema has pattern, which is not understood here',
    ]);
  });
});
