import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import type { Fields } from '../support/server/client.ts';
import { OK } from '../support/webhooks/scriptedReceiver.ts';

const WEBHOOKS = '/admin/services/Orders.Map/webhooks';
const EVENTS = '/admin/services/Orders.Map/events';
const HOOK = 'https://receiver.example/hook';
const PASSWORD = 'a long password of the tests';

let steward: InProcessServer;
let administrator: string;
const tokens: Record<'olga' | 'paul', string> = { olga: '', paul: '' };

const as = (token: string, path: string, fields: Fields = {}) => steward.post(path, { token, ...fields });

async function must(token: string, path: string, fields: Fields = {}) {
  const { status, body, text } = await as(token, path, fields);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return body;
}

let named = 0;
/** Creates a webhook of olga with a secret header. */
async function subscribe(fields: Fields = {}): Promise<{ readonly id: string; readonly signatureKey: string }> {
  named += 1;
  const all = { name: `hook ${named}`, hookUrl: HOOK, headers: '{"X-Key":"secret-of-olga"}', ...fields };
  return (await must(tokens.olga, `${WEBHOOKS}/create`, all)).webhook;
}

/** Sends a test and returns the request that the receiver got. */
async function sentByTest(token: string, id: string) {
  await must(token, `${WEBHOOKS}/${id}/test`);
  return steward.receiver.sent.at(-1);
}

beforeAll(async () => {
  steward = await startInProcess();
  administrator = await steward.tokenOf('administrator');
  await must(administrator, '/admin/services/createService', { serviceName: 'Orders', type: 'Map' });
  for (const username of ['olga', 'paul'] as const) {
    await must(administrator, '/admin/security/users/create', { username, password: PASSWORD, role: 'publisher' });
    tokens[username] = (await must('', '/tokens/generateToken', { username, password: PASSWORD })).token;
  }
});
afterAll(() => steward.close());

test('[WHK17] a publisher who does not own a webhook cannot change its hookUrl, headers or key, and nothing is changed', async () => {
  const { id } = await subscribe();
  const edits: readonly Fields[] = [
    { hookUrl: 'https://other.example/' },
    { hookUrl: `${HOOK}/other` },
    { headers: '{"X-Key":"secret-of-olga"}' },
    { signatureKey: 'a-key-of-another-person' },
    { name: 'renamed', hookUrl: 'https://other.example/' },
  ];
  for (const fields of edits) {
    const { status, body } = await as(tokens.paul, `${WEBHOOKS}/${id}/edit`, fields);
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('Only the owner `olga`')]);
  }
  expect((await as(tokens.paul, `${WEBHOOKS}/${id}/rotateKey`)).status).toBe(403);
  const given = { signatureKey: 'a-key-of-another-person' };
  expect((await as(tokens.paul, `${WEBHOOKS}/${id}/rotateKey`, given)).status).toBe(403);
  expect(await must(tokens.olga, `${WEBHOOKS}/${id}`)).toMatchObject({ hookUrl: HOOK, revision: 1, ownerId: 'olga' });
  expect(await sentByTest(tokens.paul, id)).toMatchObject({ url: HOOK, headers: { 'x-key': 'secret-of-olga' } });
});

test('[WHK17] a publisher who does not own a webhook may change its other fields, and send its hookUrl unchanged', async () => {
  const { id } = await subscribe();
  const fields = { changeTypes: 'greeting', hookUrl: HOOK, active: 'false' };
  const { webhook } = await must(tokens.paul, `${WEBHOOKS}/${id}/edit`, fields);
  expect(webhook).toMatchObject({ changeTypes: ['greeting'], active: false });
});

test('[WHK17] a publisher who does not own a webhook reads its whole hookUrl, and of its headers the names only', async () => {
  const { id } = await subscribe();
  const hookUrl = `${HOOK}?room=7`;
  await must(tokens.olga, `${WEBHOOKS}/${id}/edit`, { hookUrl });
  const seen = await must(tokens.paul, `${WEBHOOKS}/${id}`);
  expect(seen).toMatchObject({ hookUrl, headers: { 'x-key': '(hidden)' } });
  const { webhook } = await must(tokens.paul, `${WEBHOOKS}/${id}/edit`, { hookUrl: seen.hookUrl, active: 'false' });
  expect(webhook).toMatchObject({ hookUrl, active: false });
});

test.each(['https://other.example/hook', 'http://receiver.example/hook', 'https://receiver.example:8443/hook'])(
  '[WHK17] the new origin of %s gets no custom header and a new key, and the response reports both',
  async (hookUrl) => {
    const { id, signatureKey } = await subscribe();
    const { webhook, originChange } = await must(tokens.olga, `${WEBHOOKS}/${id}/edit`, { hookUrl });
    expect(webhook).toMatchObject({ hookUrl, headers: {} });
    expect(webhook.signatureKey).toMatch(/^whsec_/);
    expect(webhook.signatureKey).not.toBe(signatureKey);
    expect(originChange).toEqual({
      from: 'https://receiver.example',
      to: new URL(hookUrl).origin,
      droppedHeaders: ['x-key'],
      keyRotated: true,
      message: expect.stringContaining('x-key'),
    });
    const request = await sentByTest(tokens.olga, id);
    expect(request?.headers).not.toHaveProperty('x-key');
    // The new receiver gets no signature of the old key, which it could replay to the old receiver.
    expect(request?.headers['webhook-signature']).not.toContain(' ');
  },
);

test('[WHK17] an edit that sets headers and key with the new origin keeps both and reports no loss', async () => {
  const { id } = await subscribe();
  const { webhook, originChange } = await must(tokens.olga, `${WEBHOOKS}/${id}/edit`, {
    hookUrl: 'https://other.example/',
    headers: '{"X-New":"secret of the new receiver"}',
    signatureKey: 'a-key-for-the-new-receiver',
  });
  expect(webhook).toMatchObject({ headers: { 'x-new': '(hidden)' } });
  expect(webhook).not.toHaveProperty('signatureKey');
  expect(originChange).toMatchObject({ droppedHeaders: [], keyRotated: false });
  expect((await sentByTest(tokens.olga, id))?.headers).toMatchObject({ 'x-new': 'secret of the new receiver' });
});

test('[WHK17] another path of the same origin keeps headers and key, and an administrator may change everything', async () => {
  const { id } = await subscribe();
  const body = await must(administrator, `${WEBHOOKS}/${id}/edit`, { hookUrl: `${HOOK}/deeper` });
  expect(body.webhook.headers).toEqual({ 'x-key': '(hidden)' });
  expect(body).not.toHaveProperty('originChange');
  expect(await must(administrator, `${WEBHOOKS}/${id}/rotateKey`)).toHaveProperty('signatureKey');
});

test('[WHK17] a named token of the owner may change what the owner may change', async () => {
  const { id } = await subscribe();
  const { token } = await must(administrator, '/admin/security/tokens/create', {
    name: 'robot',
    role: 'publisher',
    expiration: '60',
  });
  expect((await as(token, `${WEBHOOKS}/${id}/rotateKey`)).status).toBe(403);
  const own = (await must(token, `${WEBHOOKS}/create`, { name: 'of the robot', hookUrl: HOOK })).webhook;
  expect((await as(token, `${WEBHOOKS}/${own.id}/rotateKey`)).status).toBe(200);
});

test('[WHK17] the answer of a receiver that echoes its request does not show the values of custom headers', async () => {
  const { id } = await subscribe();
  steward.receiver.answerWith(({ headers }) => ({ ...OK, answer: JSON.stringify(headers) }));
  const { test: said } = await must(tokens.olga, `${WEBHOOKS}/${id}/test`);
  steward.receiver.answerWith(() => OK);
  expect(said.answer).toContain('"x-key":"(hidden)"');
});

test('[WHK30] answers of a receiver and payloads are shown to the owner of the webhook and to administrators only', async () => {
  const { id } = await subscribe();
  steward.receiver.answerWith(() => ({ ...OK, answer: 'thank you' }));
  const { events } = await must(tokens.olga, EVENTS, { event: 'a', payload: '{"n":4711}' });
  const { deliveries } = await must(tokens.olga, `${WEBHOOKS}/${id}/deliveries`);
  const path = `${WEBHOOKS}/${id}/deliveries/${deliveries[0].id}`;
  const seenBy = async (token: string) => {
    const { test: said } = await must(token, `${WEBHOOKS}/${id}/test`);
    const { body } = await must(token, path);
    const event = await must(token, `${EVENTS}/${events[0].id}`);
    return [said.answer, body.includes('4711'), event.body.includes('4711')];
  };
  for (const token of [tokens.olga, administrator]) expect(await seenBy(token)).toEqual(['thank you', true, true]);
  const hidden = '(only the owner of the webhook and administrators see this)';
  expect(await seenBy(tokens.paul)).toEqual([hidden, false, false]);
  await must(tokens.olga, `${WEBHOOKS}/${id}/delete`);
  expect(await must(tokens.paul, `${EVENTS}/${events[0].id}`)).toHaveProperty('body');
  steward.receiver.answerWith(() => OK);
});

test('[WHK17] a header value that is the placeholder of an answer is refused', async () => {
  const { id } = await subscribe();
  const { status, body } = await as(tokens.olga, `${WEBHOOKS}/${id}/edit`, { headers: '{"x-key":"(hidden)"}' });
  expect([status, body.error.details[0]]).toEqual([400, expect.stringContaining('leave headers out')]);
});

test('[WHK3] an edit with ifRevision is refused with 409 if the webhook has changed since', async () => {
  const { id } = await subscribe();
  const edit = (fields: Fields) => as(tokens.olga, `${WEBHOOKS}/${id}/edit`, fields);
  expect((await edit({ changeTypes: 'a', ifRevision: '1' })).body.webhook.revision).toBe(2);
  const { status, body } = await edit({ changeTypes: 'b', ifRevision: '1' });
  expect([status, body.error.message]).toEqual([409, expect.stringContaining('has revision 2, not 1')]);
  expect(await must(tokens.olga, `${WEBHOOKS}/${id}`)).toMatchObject({ changeTypes: ['a'], revision: 2 });
  expect((await edit({ ifRevision: '1' })).status).toBe(409);
});

test('[WHK3] an edit that changes nothing keeps the revision and the time of the last change', async () => {
  const { id } = await subscribe();
  const before = await must(tokens.olga, `${WEBHOOKS}/${id}`);
  steward.clock.advance(1000);
  const edits: readonly Fields[] = [{}, { name: before.name, hookUrl: HOOK, changeTypes: '*' }, { ifRevision: '1' }];
  for (const fields of edits) {
    const { webhook } = await must(tokens.olga, `${WEBHOOKS}/${id}/edit`, fields);
    expect([webhook.revision, webhook.modified]).toEqual([1, before.modified]);
  }
});

test.each(['none', 'None', 'NONE'])('[WHK3] signatureHeader=%s removes the header', async (signatureHeader) => {
  const { id } = await subscribe({ signatureHeader: 'x-hub-signature-256' });
  expect((await must(tokens.olga, `${WEBHOOKS}/${id}/edit`, { signatureHeader })).webhook.signatureHeader).toBe('');
});

test('[WHK3] changeTypes keeps the types beside *, because * does not include the events about other webhooks', async () => {
  const { id } = await subscribe({ changeTypes: '["*","webhook.deactivated","*"]' });
  expect(await must(tokens.olga, `${WEBHOOKS}/${id}`)).toMatchObject({ changeTypes: ['*', 'webhook.deactivated'] });
});

test('[WHK9] only an administrator learns the address that a refused name leads to', async () => {
  const detailsFor = async (token: string, path: string, more: Fields) =>
    (await as(token, `${WEBHOOKS}/${path}`, { hookUrl: 'https://forbidden.example/', ...more })).body.error.details;
  const { id } = await subscribe();
  for (const [path, more] of [
    ['create', { name: 'refused' }],
    [`${id}/edit`, {}],
  ] as const) {
    expect(await detailsFor(tokens.olga, path, more)).toEqual(['hookUrl: is a private address']);
    expect(await detailsFor(administrator, path, more)).toEqual(['hookUrl: is a private address (10.9.9.9)']);
  }
});
