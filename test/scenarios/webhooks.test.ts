import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';

const SERVICE = '/admin/services/Finance/Invoices.Report';
const SETTINGS = '/admin/services/webhooks/settings';
const HOOK = 'https://receiver.example/hook';

let steward: InProcessServer;
let token: string;

type Fields = Readonly<Record<string, string>>;

const call = (path: string, fields: Fields = {}) => steward.post(path, { token, ...fields });

async function must(path: string, fields: Fields = {}) {
  const { status, body, text } = await call(path, fields);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return body;
}

const detailsOf = async (path: string, fields: Fields): Promise<readonly string[]> => {
  const { status, body } = await call(path, fields);
  expect(status).toBe(400);
  return body.error.details;
};

let named = 0;
async function subscribe(fields: Fields = {}, at = `${SERVICE}/webhooks`) {
  named += 1;
  return (await must(`${at}/create`, { name: `hook ${named}`, hookUrl: HOOK, ...fields })).webhook;
}

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
  await must('/admin/services/createFolder', { folderName: 'Finance' });
  await must('/admin/services/createService', { folderName: 'Finance', serviceName: 'Invoices', type: 'Report' });
});
afterAll(() => steward.close());

describe('[WHK1] [IFC14] [IFC15] [IFC16] the webhook settings', () => {
  const FIRST = {
    notificationAttempts: 3,
    notificationTimeOutInSeconds: 10,
    notificationElapsedTimeInSeconds: 5,
    daysInPast: 5,
    numberOfFailures: 5,
    status: 'success',
  };

  test('a new installation has the default settings, in exactly six fields in the order of the interface', async () => {
    const { text } = await call(SETTINGS, { f: 'json' });
    expect(text).toBe(JSON.stringify(FIRST));
    const byGet = await steward.app.inject({ method: 'GET', url: `${SETTINGS}?f=json&token=${token}` });
    expect(byGet.body).toBe(JSON.stringify(FIRST));
  });

  test('a field that is not sent keeps its value; the change is audited', async () => {
    expect(await must(SETTINGS, { notificationAttempts: '2' })).toEqual({ ...FIRST, notificationAttempts: 2 });
    expect(await must(SETTINGS, { numberOfFailures: '7', daysInPast: '365' })).toEqual({
      ...FIRST,
      notificationAttempts: 2,
      numberOfFailures: 7,
      daysInPast: 365,
    });
    expect(await must(SETTINGS)).toMatchObject({ notificationAttempts: 2, numberOfFailures: 7 });
    const { entries } = await must('/admin/security/audit', { target: 'webhook settings' });
    expect(entries[0]).toMatchObject({ action: 'webhooks.settings', after: { numberOfFailures: 7 } });
    await must(SETTINGS, { notificationAttempts: '3', numberOfFailures: '5', daysInPast: '5' });
  });

  test.each([
    ['notificationAttempts', 1, 5],
    ['notificationTimeOutInSeconds', 1, 60],
    ['notificationElapsedTimeInSeconds', 1, 86_400],
    ['numberOfFailures', 1, 100_000],
    ['daysInPast', 1, 365],
  ])('the setting %s accepts %i to %i', async (name, least, most) => {
    for (const value of [least, most])
      expect(await must(SETTINGS, { [name]: String(value) })).toMatchObject({ [name]: value });
    for (const wrong of [String(least - 1), String(most + 1), 'x', '1.5', '٣', '0x1', '1e1', '-1', ' 1'])
      expect(await detailsOf(SETTINGS, { [name]: wrong })).toEqual([
        `${name}: must be a whole number from ${least} to ${most} in plain digits, not "${wrong}"`,
      ]);
    await must(SETTINGS, { [name]: String(FIRST[name as 'daysInPast']) });
  });

  test('one wrong setting changes none of the others', async () => {
    await detailsOf(SETTINGS, { notificationAttempts: '1', daysInPast: '0' });
    expect(await must(SETTINGS)).toEqual(FIRST);
  });

  test('the settings can be read but not changed in read-only mode', async () => {
    await must('/admin/mode', { isReadOnly: 'true' });
    expect((await call(SETTINGS, { daysInPast: '6' })).status).toBe(503);
    expect(await must(SETTINGS)).toEqual(FIRST);
    await must('/admin/mode', { isReadOnly: 'false' });
  });
});

describe('[WHK2] [WHK3] a webhook', () => {
  test('[DEC31] a webhook has the fields of its record, its key is shown once, and its headers are hidden', async () => {
    const made = await subscribe({ headers: '{"X-Key":"tell nobody"}', changeTypes: '["a","b"]' });
    expect(Object.keys(made).slice(0, 11)).toEqual(
      'id,folderName,serviceName,serviceType,name,hookUrl,active,changeTypes,payloadFormat,contentType,headers'.split(
        ',',
      ),
    );
    expect(made).toMatchObject({
      folderName: 'Finance',
      serviceName: 'Invoices',
      serviceType: 'Report',
      ownerId: 'administrator',
    });
    expect(made.signatureKey).toMatch(/^whsec_[\w+/]{43}=$/);
    const { text, body } = await call(`${SERVICE}/webhooks/${made.id}`);
    expect(body).toMatchObject({ changeTypes: ['a', 'b'], headers: { 'x-key': '(hidden)' }, failureWindow: null });
    for (const secret of [made.signatureKey, 'tell nobody']) expect(text).not.toContain(secret);
    const audit = (await call('/admin/security/audit', { target: `webhook ${made.id}` })).text;
    for (const secret of [made.signatureKey, 'tell nobody']) expect(audit).not.toContain(secret);
    await must(`${SERVICE}/webhooks/${made.id}/delete`);
    expect((await call(`${SERVICE}/webhooks/${made.id}`)).status).toBe(404);
  });

  test('a webhook has a unique name in its scope', async () => {
    await subscribe({ name: 'taken' });
    expect((await call(`${SERVICE}/webhooks/create`, { name: 'taken', hookUrl: HOOK })).status).toBe(409);
    const other = await subscribe();
    expect((await call(`${SERVICE}/webhooks/${other.id}/edit`, { name: 'taken' })).status).toBe(409);
    expect((await subscribe({ name: 'taken' }, '/admin/system/webhooks')).serviceName).toBe('');
  });

  test('an edit changes only the fields that are sent', async () => {
    const made = await subscribe({ headers: '{"X-Key":"a"}' });
    const edited = (
      await must(`${SERVICE}/webhooks/${made.id}/edit`, { hookUrl: `${HOOK}/other`, receiverSignals: 'true' })
    ).webhook;
    expect(edited).toMatchObject({
      name: made.name,
      hookUrl: `${HOOK}/other`,
      receiverSignals: true,
      revision: 2,
    });
    expect(edited.headers).toEqual({ 'x-key': '(hidden)' });
    const off = (await must(`${SERVICE}/webhooks/${made.id}/edit`, { active: 'false' })).webhook;
    expect(off).toMatchObject({ active: false, deactivation: { reason: 'Deactivated by `administrator`.' } });
  });

  test.each([
    ['hookUrl', 'ftp://x/', 'http or https'],
    ['hookUrl', 'receiver.example', 'http or https'],
    ['hookUrl', 'https://forbidden.example/', 'is a private address'],
    ['hookUrl', 'https://x/#part', 'fragment'],
    ['changeTypes', '[]', '["*"]'],
    ['changeTypes', '[1]', '["*"]'],
    ['headers', '[]', 'JSON object'],
    ['headers', '{"Host":"x"}', 'set by Steward'],
    ['headers', '{"Webhook-Id":"x"}', 'set by Steward'],
    ['headers', '{"a b":"x"}', 'not a valid header name'],
    ['headers', '{"a":"x\\ny"}', 'printable ASCII'],
    ['headers', '{"a":1}', 'printable ASCII'],
    ['signatureKey', 'short', '16 to 512'],
    ['signatureKey', 'whsec_not*base64*at*all', 'base64'],
    ['signatureHeader', 'content-type', 'which Steward sets itself'],
    ['contentType', 'text/xml', 'one of'],
    ['payloadFormat', 'xml', 'one of'],
    ['active', 'yes', 'true or false'],
    ['name', '', 'is required'],
  ])('a webhook with %s %s is refused with the reason', async (name, value, words) => {
    const fields = { name: 'bad', hookUrl: HOOK, [name]: value };
    const [detail, ...others] = await detailsOf(`${SERVICE}/webhooks/create`, fields);
    expect(detail).toContain(name);
    expect(detail).toContain(words);
    expect(others).toEqual([]);
  });

  test('[DEC30] a webhook of an unpublished service cannot be created or listed', async () => {
    const nowhere = '/admin/services/Finance/Nothing.Report/webhooks';
    expect((await call(`${nowhere}/create`, { name: 'x', hookUrl: HOOK })).status).toBe(404);
    expect((await call(nowhere)).status).toBe(404);
  });

  test('a webhook is found below its own service only', async () => {
    const made = await subscribe();
    await must('/admin/services/createService', { serviceName: 'Else', type: 'Map' });
    for (const verb of [
      '',
      '/edit',
      '/delete',
      '/activate',
      '/deactivate',
      '/test',
      '/rotateKey',
      '/deliveries',
      '/notificationStatus',
      '/redeliverFailed',
      '/redeliverHeld',
    ])
      expect((await call(`/admin/services/Else.Map/webhooks/${made.id}${verb}`)).status).toBe(404);
    for (const id of ['0', '-1', '1.5', 'x', '99999999999999999999'])
      expect((await call(`${SERVICE}/webhooks/${made.id}/deliveries/${id}`)).status).toBe(404);
  });

  test('webhooks are listed in pages, for a service and for all', async () => {
    await must(`${SERVICE}/webhooks/deleteAll`);
    for (let n = 0; n < 5; n += 1) await subscribe();
    const first = await must(`${SERVICE}/webhooks`, { num: '3' });
    const second = await must(`${SERVICE}/webhooks`, { num: '3', after: first.next });
    expect([first.webhooks.length, second.webhooks.length, second.next]).toEqual([3, 2, null]);
    const all = await must('/admin/services/webhooks');
    expect(all.webhooks.length).toBe(5);
    expect(await must(`${SERVICE}/webhooks/deactivateAll`)).toMatchObject({ webhooks: 5 });
    expect((await must(`${SERVICE}/webhooks`)).webhooks.map(({ active }: { active: boolean }) => active)).toEqual(
      Array(5).fill(false),
    );
    expect(await must(`${SERVICE}/webhooks/activateAll`)).toMatchObject({ webhooks: 5 });
    expect(await must(`${SERVICE}/webhooks/deleteAll`)).toMatchObject({ webhooks: 5 });
  });

  test('a test is sent at once, and the answer has what the receiver answered', async () => {
    const made = await subscribe({ active: 'false' });
    steward.receiver.answerWith(() => BROKEN);
    const { test: said, delivered } = await must(`${SERVICE}/webhooks/${made.id}/test`);
    expect(said).toMatchObject({ outcome: 'refused', delivered: false, status: 500, answer: 'broken' });
    expect([delivered, said.reason]).toEqual([false, 'the receiver answered 500']);
    steward.receiver.answerWith(() => ({
      kind: 'unreachable',
      reason: 'connection refused',
      durationMs: 1,
      answer: '',
    }));
    expect((await must(`${SERVICE}/webhooks/${made.id}/test`)).test).toMatchObject({
      outcome: 'unreachable',
      status: null,
      reason: 'connection refused',
    });
    steward.receiver.answerWith(() => OK);
    expect(await must(`${SERVICE}/webhooks/${made.id}/test`)).toMatchObject({ status: 'success', delivered: true });
    expect((await must(`${SERVICE}/webhooks/${made.id}`)).ledger).toMatchObject({ accepted: 0 });
  });
});

describe('[WHK4] published events', () => {
  const EVENTS = `${SERVICE}/events`;

  test('[DEC32] events are accepted one by one and in an array, once for each eventId', async () => {
    const one = await must(EVENTS, { event: 'a.b', payload: '{"x":1}', eventId: 'first' });
    expect(one.events).toMatchObject([{ eventId: 'first', repeat: false }]);
    expect((await must(EVENTS, { event: 'a.b', payload: '{"x":1}', eventId: 'first' })).events[0]).toMatchObject({
      id: one.events[0].id,
      repeat: true,
    });
    const many = JSON.stringify([
      { event: 'c', payload: null },
      { event: 'a.b', payload: { x: 1 }, eventId: 'first' },
    ]);
    expect((await must(EVENTS, { events: many })).events.map(({ repeat }: { repeat: boolean }) => repeat)).toEqual([
      false,
      true,
    ]);
  });

  test.each([
    [{}, 'event: is required'],
    [{ event: 'a' }, 'payload: is required'],
    [{ event: 'a', payload: '{' }, 'payload: must be JSON, nested at most 1000 levels deep'],
    [{ event: 'a b', payload: '1' }, 'event: must be'],
    [{ event: 'service.deleted', payload: '1' }, "Steward's own"],
    [{ event: 'a', payload: `"${'x'.repeat(256 * 1024)}"` }, 'at most 262144 bytes'],
    [{ event: 'a', payload: '1', eventId: 'a b' }, 'eventId: must be'],
    [{ events: '{}' }, 'events: must be a JSON array'],
    [{ events: '[]' }, 'events: must be a JSON array'],
    [{ events: '[{"event":"a"}]' }, 'entry 1: payload is required'],
    [{ events: '[{"event":"a","payload":1},{"event":1,"payload":1}]' }, 'entry 2: event must be'],
    [{ events: '[{"event":1,"payload":1},{"event":"a"}]' }, 'entry 1: event must be'],
    [{ events: '[{"event":1,"payload":1},{"event":"a"}]' }, 'entry 2: payload is required'],
    [{ events: '[{"event":"service.deleted","payload":1}]' }, 'events: entry 1: event service.deleted'],
    [{ events: '[{"event":"a","payload":1},{"event":"webhook.test","payload":1}]' }, 'events: entry 2: event'],
    [{ events: '[{"event":"a","payload":1}]', event: 'b' }, 'send either events'],
  ] as const)('the event %j is refused with the reason', async (fields, words) => {
    const details = await detailsOf(EVENTS, fields);
    expect(details.join('; ')).toContain(words);
  });

  test('the same eventId with other content is answered with 409 that names the first event', async () => {
    const sent = { event: 'a.b', payload: '{"x":1}', eventId: 'once' };
    const [{ id }] = (await must(EVENTS, sent)).events;
    for (const other of [
      { ...sent, payload: '{"x":2}' },
      { ...sent, event: 'a.c' },
    ]) {
      const { status, body } = await call(EVENTS, other);
      expect([status, body.error.details]).toEqual([409, [expect.stringContaining(`once belongs to ${id}`)]]);
    }
    expect((await must(EVENTS, sent)).events).toMatchObject([{ id, repeat: true }]);
    const twice = JSON.stringify([1, 2].map((payload) => ({ event: 'a', payload, eventId: 'twice' })));
    const { status, body } = await call(EVENTS, { events: twice });
    expect([status, body.error.details]).toEqual([
      409,
      ['events: entry 2: eventId twice belongs to an earlier entry, which has another type or payload'],
    ]);
  });

  test('a repeat is answered with the result of the first request', async () => {
    await subscribe();
    await subscribe({ hookUrl: `${HOOK}/other` });
    const sent = { event: 'a.b', payload: '{"x":1}', eventId: 'again' };
    const [first] = (await must(EVENTS, sent)).events;
    expect(first.deliveries).toBeGreaterThanOrEqual(2);
    const [later] = (await must(EVENTS, sent)).events;
    expect(later).toEqual({ ...first, repeat: true });
    const both = JSON.stringify([1, 2].map(() => ({ event: 'a', payload: 1, eventId: 'pair' })));
    const [one, two] = (await must(EVENTS, { events: both })).events;
    expect(two).toEqual({ ...one, repeat: true });
  });

  test('events of an unpublished service are refused', async () => {
    expect((await call('/admin/services/Nothing.Map/events', { event: 'a', payload: '1' })).status).toBe(404);
  });

  test('[UPG14] events and tests are accepted in read-only mode, and changes of webhooks are not', async () => {
    const made = await subscribe({ active: 'false' });
    await must('/admin/mode', { isReadOnly: 'true' });
    expect((await call(EVENTS, { event: 'a', payload: '1' })).status).toBe(200);
    expect((await call(`${SERVICE}/webhooks/${made.id}/test`)).status).toBe(200);
    for (const verb of ['edit', 'delete', 'activate', 'deactivate', 'rotateKey', 'redeliverFailed', 'redeliverHeld'])
      expect((await call(`${SERVICE}/webhooks/${made.id}/${verb}`)).status).toBe(503);
    expect((await call(`${SERVICE}/webhooks/create`, { name: 'x', hookUrl: HOOK })).status).toBe(503);
    await must('/admin/mode', { isReadOnly: 'false' });
    expect((await must(`${SERVICE}/webhooks/${made.id}`)).ledger).toMatchObject({ accepted: 1, held: 1 });
    const { deliveries } = await must(`${SERVICE}/webhooks/${made.id}/deliveries`, { state: 'held' });
    expect(deliveries).toMatchObject([{ state: 'held', event: 'a', attempts: 0, nextAttempt: null }]);
    expect((await must(`${SERVICE}/webhooks/${made.id}/deliveries`, { state: 'pending' })).deliveries).toEqual([]);
  });

  test('the metrics count deliveries', async () => {
    const { body } = await steward.app.inject({ url: '/metrics' });
    expect(body).toMatch(/steward_webhook_events_accepted_total [1-9]/);
    expect(body).toContain('steward_webhook_attempts_total{outcome="delivered"}');
    expect(body).toMatch(/steward_webhook_oldest_due_seconds \d/);
  });
});

describe('[WHK2] the delivery log', () => {
  const EVENTS = `${SERVICE}/events`;
  const at = { first: '', deliveries: '' };
  const sent: { readonly id: string; readonly eventId: string }[] = [];
  const found = async (fields: Fields) =>
    (await must(at.deliveries, fields)).deliveries.map(({ eventId }: { eventId: string }) => eventId);

  beforeAll(async () => {
    await must(`${SERVICE}/webhooks/deleteAll`);
    const made = await subscribe({ active: 'false', name: 'searched' });
    at.deliveries = `${SERVICE}/webhooks/${made.id}/deliveries`;
    await subscribe({ active: 'false', name: 'beside' });
    for (const [n, event] of ['a', 'b', 'a', 'c'].entries()) {
      steward.clock.advance(60_000);
      sent.push((await must(EVENTS, { event, payload: String(n), eventId: `search-${n}` })).events[0]);
    }
  });

  test('deliveries are found by event type, eventId, webhook-id and time, newest first', async () => {
    expect(await found({ event: 'a' })).toEqual(['search-2', 'search-0']);
    expect(await found({ event: 'a', num: '1' })).toEqual(['search-2']);
    expect(await found({ eventId: 'search-1' })).toEqual(['search-1']);
    expect(await found({ eventId: 'search-1', event: 'a' })).toEqual([]);
    for (const name of ['webhookMessageId', 'webhook-id'])
      expect(await found({ [name]: sent[3]?.id ?? '' })).toEqual(['search-3']);
    expect(await found({ 'webhook-id': 'evt_of_nothing' })).toEqual([]);
    const both = { 'webhook-id': 'evt_1', webhookMessageId: 'evt_2' };
    expect(await detailsOf(at.deliveries, both)).toEqual(['webhook-id: evt_1 differs from webhookMessageId evt_2']);
    const since = new Date(steward.clock.now() - 60_000).toISOString();
    expect(await found({ from: since })).toEqual(['search-3', 'search-2']);
    expect(await found({ to: since, state: 'held' })).toEqual(['search-1', 'search-0']);
    expect(await found({ state: 'delivered' })).toEqual([]);
    const { next } = await must(at.deliveries, { num: '2' });
    expect(await found({ before: next, num: '2' })).toEqual(['search-1', 'search-0']);
  });

  test.each(['1794729600', '0', 'yesterday', '2026-11-15T08:00:00'])(
    '[REQ4] the time %s is refused in deliveries, redeliverFailed and redeliverHeld',
    async (time) => {
      for (const name of ['from', 'to'])
        expect((await detailsOf(at.deliveries, { [name]: time }))[0]).toContain(`${name}: must be a time after 1999`);
      for (const verb of ['redeliverFailed', 'redeliverHeld']) {
        const resend = at.deliveries.replace('/deliveries', `/${verb}`);
        expect((await detailsOf(resend, { since: time, dryRun: 'true' }))[0]).toContain('since: must be a time');
      }
    },
  );

  test('an event is answered with its deliveries, to the service it belongs to and to administrators of the system', async () => {
    const id = sent[1]?.id ?? '';
    const event = await must(`${EVENTS}/${id}`);
    expect(event).toMatchObject({
      id,
      eventId: 'search-1',
      event: 'b',
      folderName: 'Finance',
      serviceName: 'Invoices',
      serviceType: 'Report',
      sequence: expect.any(Number),
      accepted: expect.any(Number),
      deliveries: [
        { webhookName: 'searched', state: 'held', webhookMessageId: id },
        { webhookName: 'beside', state: 'held' },
      ],
    });
    expect(JSON.parse(event.body)).toMatchObject({ type: 'b', data: 1 });
    const byGet = await steward.get(`${EVENTS}/${id}?token=${token}`);
    expect(byGet.body).toEqual(event);
    expect(await must(`/admin/system/events/${id}`)).toEqual(event);
    await must('/admin/services/createService', { serviceName: 'Other', type: 'Map' });
    for (const path of ['/admin/services/Other.Map/events', EVENTS])
      expect((await call(`${path}/${path === EVENTS ? 'evt_x' : id}`)).status).toBe(404);
    const publisher = await steward.tokenOf('publisher');
    expect((await steward.post(`/admin/system/events/${id}`, { token: publisher })).status).toBe(403);
    expect((await steward.post(`${EVENTS}/${id}`, { token: publisher })).status).toBe(200);
  });
});

test('[WHK11] a job that does not exist is not found', async () => {
  expect((await call('/admin/system/jobs/nothing')).status).toBe(404);
  expect((await call('/admin/system/jobs/nothing/cancel')).status).toBe(404);
  const made = await subscribe();
  expect(await must(`${SERVICE}/webhooks/${made.id}/redeliverFailed`, { dryRun: 'true' })).toMatchObject({
    deliveries: 0,
  });
  const { jobId } = await must(`${SERVICE}/webhooks/${made.id}/redeliverFailed`);
  expect((await must('/admin/system/jobs')).jobs).toMatchObject([
    { id: jobId, state: 'running', progress: { done: 0, total: 0 } },
  ]);
  expect(await must(`/admin/system/jobs/${jobId}/cancel`)).toMatchObject({ jobId });
  expect(await must(`/admin/system/jobs/${jobId}`)).toMatchObject({ cancelling: true, messages: [] });
});

test('[WHK11] a held delivery is sent again by a request, and so are all by a job', async () => {
  const made = await subscribe({ active: 'false' });
  const at = `${SERVICE}/webhooks/${made.id}`;
  for (const payload of ['1', '2']) await must(`${SERVICE}/events`, { event: 'a', payload });
  const { deliveries } = await must(`${at}/deliveries`, { state: 'held' });
  expect(await must(`${at}/redeliverHeld`, { dryRun: 'true' })).toMatchObject({ dryRun: true, deliveries: 2 });
  const one = `${at}/deliveries/${deliveries[0].id}`;
  const resent = await must(`${one}/redeliver`);
  expect(resent.delivery).toMatchObject({ state: 'held', nextAttempt: expect.any(Number) });
  const again = await call(`${one}/redeliver`);
  expect([again.status, again.body.error.message]).toEqual([409, expect.stringContaining('is still pending')]);
  const { jobId, deliveries: count } = await must(`${at}/redeliverHeld`);
  expect(count).toBe(1);
  const second = await call(`${at}/redeliverHeld`);
  expect([second.status, second.body.error.message]).toEqual([409, expect.stringContaining(jobId)]);
  await must(`/admin/system/jobs/${jobId}/cancel`);
});
