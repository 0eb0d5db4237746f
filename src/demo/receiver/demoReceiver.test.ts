import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { turns } from '../../../test/support/run/until.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { signatureOf, signingKey } from '../../model/webhookSignature.ts';
import type { DemoReceiver } from './demoReceiver.ts';
import { startDemoReceiver } from './demoReceiver.ts';

const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const BODY = '{"type":"parcel.moved","data":{"to":"<b>Zürich</b>"}}';

let receiver: DemoReceiver;
let secretsFor: (path: string) => Promise<readonly string[]>;
const askedFor: string[] = [];

beforeEach(async () => {
  askedFor.length = 0;
  secretsFor = () => Promise.resolve(SECRETS);
  receiver = await startDemoReceiver({
    port: 0,
    now: () => NOW,
    secretsFor: (path) => {
      askedFor.push(path);
      return secretsFor(path);
    },
  });
});
afterEach(() => receiver.close());

interface Sent {
  readonly box?: string;
  readonly id?: string;
  readonly attempt?: string;
  readonly secret?: string;
  readonly type?: string;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

function deliver(sent: Sent = {}): Promise<Response> {
  const { box = 'depot', id = 'msg_1', attempt = '1', secret = SECRETS[0] ?? '', body = BODY } = sent;
  return fetch(`${receiver.url}/receive/${box}`, {
    method: 'POST',
    body,
    signal: sent.signal ?? null,
    redirect: 'manual',
    headers: {
      'content-type': sent.type ?? 'application/json',
      'webhook-id': id,
      'webhook-attempt': attempt,
      'webhook-timestamp': String(NOW / 1000),
      'webhook-signature': signatureOf([signingKey(secret)], id, NOW / 1000, body),
    },
  });
}

function post(path: string, form: Record<string, string> = {}): Promise<Response> {
  return fetch(`${receiver.url}${path}`, { method: 'POST', body: new URLSearchParams(form) });
}

async function json(path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${receiver.url}${path}`, { headers: { accept: 'application/json' } });
  return (await answer.json()) as Record<string, unknown>;
}

async function page(path: string): Promise<string> {
  const answer = await fetch(`${receiver.url}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  return answer.text();
}

describe('a delivery', () => {
  test('[WHK5] a delivery is verified, answered 200 and kept', async () => {
    expect((await deliver({ attempt: '2' })).status).toBe(200);
    expect(await json('/receive/depot')).toMatchObject({
      name: 'depot',
      behaviour: { answer: '200' },
      received: 1,
      distinctIds: 1,
      verified: 1,
      repeats: 0,
      deliveries: [
        {
          at: '2026-01-02T03:04:05.000Z',
          id: 'msg_1',
          type: 'parcel.moved',
          attempt: 2,
          verified: true,
          problem: null,
          repeat: false,
          answered: 200,
          body: BODY,
        },
      ],
    });
  });

  test('[WHK13] a delivery may be a form', async () => {
    const body = new URLSearchParams({ payload: BODY }).toString();
    await deliver({ type: 'application/x-www-form-urlencoded', body });
    expect(await json('/receive/depot')).toMatchObject({
      deliveries: [{ type: 'parcel.moved', verified: true, body }],
    });
  });

  test('[WHK5] a delivery must be signed with one of the secrets of its address', async () => {
    await deliver({ box: 'my%20depot', id: 'a', secret: SECRETS[1] ?? '' });
    await deliver({ box: 'my%20depot', id: 'b', secret: 'whsec_AAAA' });
    secretsFor = () => Promise.resolve([]);
    await deliver({ box: 'my%20depot', id: 'c' });
    secretsFor = () => Promise.reject(new Error('the store is closed'));
    await deliver({ box: 'my%20depot', id: 'd' });
    expect(askedFor).toEqual(Array.from({ length: 4 }, () => '/receive/my%20depot'));
    expect(await json('/receive/my%20depot')).toMatchObject({
      name: 'my depot',
      received: 4,
      verified: 1,
      deliveries: [
        { id: 'd', problem: 'the secrets could not be read: the store is closed' },
        { id: 'c', problem: 'no webhook sends to this address' },
        { id: 'b', problem: 'the signature does not match the key', verified: false, answered: 200 },
        { id: 'a', problem: null, verified: true },
      ],
    });
  });

  test('[WHK5] a delivery whose id was seen before is a repeat', async () => {
    await deliver();
    await deliver({ attempt: '2' });
    await deliver({ id: 'msg_2' });
    await fetch(`${receiver.url}/receive/depot`, { method: 'POST', body: 'no headers, no JSON' });
    const { boxes } = await json('/');
    expect(boxes).toMatchObject([{ name: 'depot', received: 4, distinctIds: 2, verified: 3, repeats: 1 }]);
    expect(await json('/receive/depot')).toMatchObject({
      deliveries: [{ id: null, type: null, attempt: null }, { repeat: false }, { repeat: true }, { repeat: false }],
    });
  });

  test('a body over 1 MiB is answered 413 and not counted; of a smaller one 4 KiB are kept', async () => {
    expect((await deliver({ body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413);
    expect(await json('/')).toMatchObject({ boxes: [] });
    expect((await deliver({ body: 'x'.repeat(1024 * 1024) })).status).toBe(200);
    const { deliveries } = await json('/receive/depot');
    expect(deliveries).toMatchObject([{ body: 'x'.repeat(4096), verified: true }]);
  });

  test('all deliveries are counted and the last 200 are kept', async () => {
    for (let count = 1; count <= 205; count += 1) await deliver({ id: `msg_${count}` });
    const { deliveries, received, distinctIds } = await json('/receive/depot');
    expect([received, distinctIds]).toEqual([205, 205]);
    expect(deliveries).toHaveLength(200);
    expect(deliveries).toMatchObject({ 0: { id: 'msg_205' }, 199: { id: 'msg_6' } });
  });
});

describe('the behaviour of an inbox', () => {
  test.each(['201', '301', '410', '500', '599'])('[WHK6] an inbox answers %s if that is set', async (answer) => {
    const told = await post('/behave/depot', { answer });
    expect([told.status, await told.json()]).toMatchObject([200, { name: 'depot', behaviour: { answer } }]);
    expect((await deliver()).status).toBe(Number(answer));
    expect((await deliver({ box: 'other' })).status).toBe(200);
    expect(await json('/receive/depot')).toMatchObject({ deliveries: [{ answered: Number(answer) }] });
  });

  test('[WHK6] an inbox answers slowly if that is set', async () => {
    const told = await post('/behave/depot', { answer: 'slow', seconds: '0.1' });
    expect(await told.json()).toMatchObject({ behaviour: { answer: 'slow', seconds: 0.1 } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isAnswered = false;
    const answered = deliver().finally(() => (isAnswered = true));
    while ((await json('/receive/depot')).received === 0) await turns(1);
    vi.advanceTimersByTime(99);
    await turns(20);
    expect(isAnswered).toBe(false);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    expect((await answered).status).toBe(200);
    expect(await (await post('/behave/depot', { answer: 'slow' })).json()).toMatchObject({
      behaviour: { seconds: 30 },
    });
    const leaving = new AbortController();
    const left = deliver({ id: 'left', signal: leaving.signal }).catch(reasonOf);
    await expect.poll(() => json('/receive/depot')).toMatchObject({ received: 2 });
    leaving.abort(new Error('left'));
    expect(await left).toBe('left');
    expect(await json('/receive/depot')).toMatchObject({ deliveries: [{ answered: null }, { answered: 200 }] });
  });

  test('[WHK6] an inbox never answers if that is set, and close ends waiting requests', async () => {
    await post('/behave/depot', { answer: 'never' });
    const hanging = deliver().catch(reasonOf);
    await expect.poll(() => json('/receive/depot')).toMatchObject({ received: 1 });
    expect(await json('/receive/depot')).toMatchObject({ deliveries: [{ answered: null }] });
    await receiver.close();
    expect(await hanging).toBe('fetch failed');
  });

  test.each([
    [{}, 'answer: must be a status from 200 to 599, slow or never'],
    [{ answer: '199' }, 'answer: must be'],
    [{ answer: '600' }, 'answer: must be'],
    [{ answer: 'SLOW' }, 'answer: must be'],
    [{ answer: 'slow', seconds: 'long' }, 'seconds: must be a number of seconds from 0 to 3600'],
    [{ answer: 'slow', seconds: '3601' }, 'seconds: must be'],
  ])('the behaviour %j is refused with the name of the field', async (form: Record<string, string>, problem) => {
    const refused = await post('/behave/depot', form);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        status: 'error',
        error: { code: 400, message: expect.any(String), details: [expect.stringContaining(problem)] },
      },
    ]);
    expect(await json('/')).toMatchObject({ boxes: [] });
  });

  test('a cleared inbox loses its deliveries and its behaviour', async () => {
    await post('/behave/depot', { answer: '500' });
    await deliver();
    expect((await post('/clear/depot')).status).toBe(200);
    expect(await json('/')).toMatchObject({ boxes: [] });
    expect((await deliver()).status).toBe(200);
    expect(await json('/receive/depot')).toMatchObject({ received: 1, repeats: 0 });
  });
});

describe('the pages', () => {
  test('the pages say that the receiver is simulated', async () => {
    for (const path of ['/', '/receive/depot']) {
      expect(await page(path)).toContain('This is the demo receiver of Steward: simulated, for trying out only');
      expect(await json(path)).toMatchObject({ about: expect.stringContaining('simulated') });
    }
  });

  test('the pages show deliveries with all HTML escaped', async () => {
    const evil = `"'><script>alert(1)</script>`;
    const box = encodeURIComponent(evil);
    await deliver({ box, id: evil, body: JSON.stringify({ type: evil }) });
    for (const path of ['/', `/receive/${box}`]) {
      const html = await page(path);
      expect(html).not.toContain('<script');
      expect(html).toContain('&lt;script&gt;alert(1)');
    }
  });

  test('the pages are JSON on request, and an inbox is JSON unless a browser asks', async () => {
    const types = await Promise.all(
      ['/', '/?f=json', '/receive/depot', '/receive/depot?f=json'].map(async (path) => {
        const answer = await fetch(`${receiver.url}${path}`);
        return answer.headers.get('content-type')?.split(';')[0];
      }),
    );
    expect(types).toEqual(['text/html', 'application/json', 'application/json', 'application/json']);
    const asked = await fetch(`${receiver.url}/receive/depot?f=json`, { headers: { accept: 'text/html' } });
    expect(asked.headers.get('content-type')).toContain('application/json');
  });
});

describe('refusals', () => {
  test('an inbox beyond the hundredth is refused until one is cleared', async () => {
    for (let count = 1; count <= 100; count += 1) await post(`/behave/box${count}`, { answer: '200' });
    expect((await deliver({ box: 'box101' })).status).toBe(409);
    expect((await deliver({ box: 'box100' })).status).toBe(200);
    await post('/clear/box1');
    expect((await deliver({ box: 'box101' })).status).toBe(200);
  });

  test.each([
    ['GET', '/nowhere', 404],
    ['POST', '/receive/', 404],
    ['POST', '/receive/a/b', 404],
    ['POST', '/receive/%ff', 400],
    ['POST', `/receive/${'x'.repeat(101)}`, 400],
    ['POST', '/', 405],
    ['PUT', '/receive/depot', 405],
    ['GET', '/behave/depot', 405],
    ['GET', '/clear/depot', 405],
  ])('the request %s %s is refused', async (method, path, status) => {
    const answer = await fetch(`${receiver.url}${path}`, { method });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ status: 'error', error: { code: status } });
    expect(answer.headers.get('allow') !== null).toBe(status === 405);
  });

  test('a port in use is refused by its number', async () => {
    const port = Number(new URL(receiver.url).port);
    const second = startDemoReceiver({ port, now: () => NOW, secretsFor });
    await expect(second).rejects.toThrow(`The demo receiver cannot use port ${port}`);
  });

  test('a request that breaks off does not stop the receiver', async () => {
    const { hostname, port } = new URL(receiver.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write('POST /receive/depot HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{');
    await once(socket, 'data');
    socket.destroy();
    expect((await deliver()).status).toBe(200);
    expect(await json('/receive/depot')).toMatchObject({ received: 1 });
  });
});
