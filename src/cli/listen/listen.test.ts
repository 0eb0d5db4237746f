import { request } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { reasonOf } from '../../foundation/errors.ts';
import type { ReceiverAnswer } from '../../wire/documents/receiverAnswer.ts';
import type { ListenOptions } from './listen.ts';
import { listen } from './listen.ts';
import { createListener } from './listener.ts';
import type { TemporaryFolder } from '../../../test/support/run/runFolder.ts';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { turns, turnsUntil } from '../../../test/support/run/until.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"type":"parcel.moved","data":{"to":"Zürich"}}';
const OK: ReceiverAnswer = { kind: 'status', status: 200 };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function paper(): { print: (text: string) => void; text: () => string } {
  const printed: string[] = [];
  return { print: (text) => void printed.push(text), text: () => stripVTControlCharacters(printed.join('')) };
}

async function listening(answer: ReceiverAnswer = OK, secret: string | undefined = SECRET) {
  const { print, text } = paper();
  const listener = createListener({ port: 0, secret, answer, print, now: Date.now });
  const { url, close } = await listener.start();
  opened.push({ close });
  return { listener, url, close, text };
}

function headersFor(body: string, { id = 'msg_1', attempt = '1', type = 'application/json', secret = SECRET } = {}) {
  const at = new Date();
  return {
    'content-type': type,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-attempt': attempt,
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

function deliver(url: string, body = BODY, more: Parameters<typeof headersFor>[1] = {}, signal?: AbortSignal) {
  return fetch(url, { method: 'POST', body, headers: headersFor(body, more), signal: signal ?? null });
}

describe('a delivery', () => {
  test('[WHK5] a delivery is verified, answered and printed with its type, id and attempt', async () => {
    const { url, text, listener } = await listening();
    expect((await deliver(`${url}/hooks`)).status).toBe(200);
    expect(text()).toMatch(/^\d\d:\d\d:\d\d {2}200 {2}parcel\.moved {2}✓ verified\n {2}webhook-id msg_1 {2}attempt 1 /);
    expect(text()).toContain('to /hooks\n');
    expect(text()).toContain('  {\n    "type": "parcel.moved",\n    "data": {\n      "to": "Zürich"\n    }\n  }\n');
    expect(listener.totals()).toEqual({ received: 1, verified: 1, repeats: 0 });
  });

  test('[WHK13] a delivery may be a form, whose signature covers the form as sent', async () => {
    const { url, text } = await listening();
    const form = new URLSearchParams({ payload: BODY }).toString();
    const answer = await deliver(url, form, { type: 'application/x-www-form-urlencoded; charset=utf-8' });
    expect(answer.status).toBe(200);
    expect(text()).toContain('parcel.moved  ✓ verified');
    expect(text()).toContain('"to": "Zürich"');
  });

  test('[WHK5] a delivery whose id was seen before is a repeat, whatever its attempt number', async () => {
    const { url, text, listener } = await listening();
    await deliver(url);
    expect(text()).not.toContain('repeat');
    await deliver(url, BODY, { attempt: '2' });
    await deliver(url, BODY, { id: 'msg_2' });
    expect(text()).toContain('webhook-id msg_1  attempt 2  repeat');
    expect(text()).not.toContain('webhook-id msg_2  attempt 1  repeat');
    expect(listener.totals()).toEqual({ received: 3, verified: 3, repeats: 1 });
  });

  test('[WHK5] a delivery with a wrong signature is answered 401 with the reason, whatever answer is set', async () => {
    for (const answer of [OK, { kind: 'never' }] satisfies ReceiverAnswer[]) {
      const { url, text, listener } = await listening(answer);
      const refused = await deliver(url, BODY, { secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' });
      expect([refused.status, await refused.text()]).toEqual([401, 'the signature does not match the key\n']);
      expect(text()).toContain('401  parcel.moved  ✗ not verified: the signature does not match the key');
      expect(listener.totals()).toEqual({ received: 1, verified: 0, repeats: 0 });
    }
  });

  test('[WHK5] a delivery without its headers is answered 401', async () => {
    const { url, text } = await listening();
    expect((await fetch(url, { method: 'POST', body: BODY })).status).toBe(401);
    expect(text()).toContain('is missing');
    expect(text()).toContain('webhook-id –  attempt –');
  });

  test('a delivery is accepted without a secret, but is not called verified', async () => {
    const { print, text } = paper();
    const listener = createListener({ port: 0, answer: OK, print, now: Date.now });
    const { url, close } = await listener.start();
    opened.push({ close });
    expect((await fetch(url, { method: 'POST', body: BODY })).status).toBe(200);
    expect(text()).toContain('200  parcel.moved  not verified\n');
    expect(listener.totals()).toEqual({ received: 1, verified: 0, repeats: 0 });
  });

  test('a delivery is shown with at most 40 lines and with unchanged numbers', async () => {
    const { url, text } = await listening();
    await deliver(url, `{"big":12345678901234567890,"none":{},"many":[${'[1],'.repeat(5000)}1]}`);
    const lines = text().trimEnd().split('\n');
    expect(lines).toHaveLength(2 + 40 + 1);
    expect(lines.slice(2, 7)).toEqual([
      '  {',
      '    "big": 12345678901234567890,',
      '    "none": {},',
      '    "many": [',
      '      [',
    ]);
    expect(lines.at(-1)).toContain('only the first 40 lines');
  });

  test('a deeply nested delivery is shown like any other', async () => {
    const { url, text } = await listening();
    expect((await deliver(url, '['.repeat(200_000) + ']'.repeat(200_000))).status).toBe(200);
    expect(text().length).toBeLessThan(10_000);
  });

  test('a delivery cannot control the terminal', async () => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    const listener = createListener({ port: 0, answer: OK, print, now: Date.now });
    const { url, close } = await listener.start();
    opened.push({ close });
    const body = '\u001b]0;owned\u0007 \u009b31m \u202e not JSON';
    await fetch(url, { method: 'POST', body, headers: { 'webhook-id': '\u009b2J' } });
    for (const evil of ['\u001b]', '\u0007', '\u009b', '\u202e']) expect(printed.join('')).not.toContain(evil);
    expect(printed.join('')).toContain(String.raw`\u001b]0;owned\u0007 \u009b31m \u202e not JSON`);
  });

  test('a body of 1 MiB is accepted and a larger one is answered 413', async () => {
    const { url, text } = await listening();
    const fits = `"${'x'.repeat(1024 * 1024 - 2)}"`;
    expect((await deliver(url, fits)).status).toBe(200);
    expect((await deliver(url, `${fits} `)).status).toBe(413);
    expect((await deliver(url, 'x'.repeat(5 * 1024 * 1024))).status).toBe(413);
    expect(text()).toContain('413  POST /  the body is larger than 1 MiB');
  });

  test('a request other than POST is answered 405', async () => {
    const { url, text, listener } = await listening();
    const answer = await fetch(`${url}/favicon.ico`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(text()).toContain('405  GET /favicon.ico');
    expect(listener.totals().received).toBe(0);
  });

  test('a request that breaks off is not counted and does not stop the listener', async () => {
    const { url, text, listener } = await listening();
    const half = request(url, { method: 'POST', headers: { 'content-length': 100, expect: '100-continue' } });
    half.on('error', () => undefined);
    await once(half, 'continue');
    half.write('{"type":');
    half.destroy();
    await expect.poll(() => text()).toContain('closed the connection before the end of the body');
    expect((await deliver(url)).status).toBe(200);
    expect(listener.totals().received).toBe(1);
  });
});

describe('the answer', () => {
  test.each([204, 301, 410, 429, 500, 599])('[WHK6] the answer is %i if that is set', async (status) => {
    const { url, text } = await listening({ kind: 'status', status });
    const answer = await fetch(url, { method: 'POST', body: BODY, headers: headersFor(BODY), redirect: 'manual' });
    expect(answer.status).toBe(status);
    expect(text()).toContain(`${status}  parcel.moved  ✓ verified`);
  });

  test('[WHK6] the answer is slow if that is set', async () => {
    const { url, text } = await listening({ kind: 'slow', seconds: 0.1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isAnswered = false;
    const answered = deliver(url).finally(() => (isAnswered = true));
    await turnsUntil(() => text().includes('200 after 0.1 s'));
    vi.advanceTimersByTime(99);
    await turns(20);
    expect(isAnswered).toBe(false);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    expect((await answered).status).toBe(200);
    expect(text()).toContain('200 after 0.1 s  parcel.moved');
  });

  test('[WHK6] the answer never comes if that is set, and close ends waiting requests', async () => {
    const { url, close, text } = await listening({ kind: 'never' });
    const leaving = new AbortController();
    const left = deliver(url, BODY, {}, leaving.signal).catch(reasonOf);
    await expect.poll(() => text()).toContain('no answer');
    leaving.abort(new Error('left'));
    expect(await left).toBe('left');
    const hanging = deliver(url).catch(reasonOf);
    await expect.poll(() => text().match(/no answer/g)).toHaveLength(2);
    await close();
    expect(await hanging).toBe('fetch failed');
  });
});

describe('steward listen', () => {
  async function running(options: Parameters<typeof listen>[0] = {}, environment: Record<string, string> = {}) {
    const { print, text } = paper();
    const input = new PassThrough();
    let interrupt = (): void => undefined;
    const stopped = (): Promise<void> => new Promise((resolve) => (interrupt = resolve));
    const ended = listen({ port: '0', ...options }, print, { input, environment, stopped });
    opened.push({ close: () => (interrupt(), ended) });
    await expect.poll(() => text()).toContain('Stop with Ctrl+C.');
    const url = /http:\S+/.exec(text())?.[0] ?? '';
    return { url, text, input, stop: () => (interrupt(), ended) };
  }

  test('it prints its address, and its totals after Ctrl+C', async () => {
    const { url, text, stop } = await running({ secret: SECRET });
    expect(text()).toContain(`Steward listens for deliveries on ${url}\n`);
    expect(text()).not.toContain('Note');
    await deliver(url);
    await deliver(url);
    await stop();
    expect(text()).toMatch(/\n {2}2 received, 2 verified, 1 repeats\n$/);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  test('it takes the secret from the environment, and says how to set one', async () => {
    const { url } = await running({}, { STEWARD_LISTEN_SECRET: SECRET });
    expect((await deliver(url, BODY, { secret: 'whsec_AAAA' })).status).toBe(401);
    const without = await running({}, { STEWARD_LISTEN_SECRET: '' });
    expect(without.text()).toContain('Note: Give the signatureKey of the webhook with --secret-file FILE');
    expect((await deliver(without.url)).status).toBe(200);
  });

  describe('[DEC68] the file of the secret', () => {
    let folder: TemporaryFolder;
    const file = (name: string, content: string): string => {
      const path = join(folder.path, name);
      writeFileSync(path, content);
      return path;
    };
    beforeAll(() => {
      folder = temporaryFolder();
    });
    afterAll(() => folder.remove());

    test.each(['', '\n', '\r\n'])('it takes the secret from a file that ends with %j', async (end) => {
      const path = file('secret', `${SECRET}${end}`);
      for (const { url } of [
        await running({ secretFile: path }),
        await running({}, { STEWARD_LISTEN_SECRET_FILE: path }),
      ]) {
        expect((await deliver(url)).status).toBe(200);
        expect((await deliver(url, BODY, { secret: 'whsec_AAAA' })).status).toBe(401);
      }
    });

    test('a flag takes precedence over the environment, and an empty variable is ignored', async () => {
      const other = file('other', 'whsec_AAAA');
      const both = { STEWARD_LISTEN_SECRET: 'whsec_AAAA', STEWARD_LISTEN_SECRET_FILE: other };
      for (const options of [{ secret: SECRET }, { secretFile: file('secret', SECRET) }])
        expect((await deliver((await running(options, both)).url)).status).toBe(200);
      const empty = await running({}, { STEWARD_LISTEN_SECRET: SECRET, STEWARD_LISTEN_SECRET_FILE: '' });
      expect((await deliver(empty.url)).status).toBe(200);
    });

    test('it reports a file that is missing, empty or one of two sources, and never prints the secret', async () => {
      const nothing = { input: new PassThrough().destroy(), stopped: () => Promise.resolve() };
      const problemOf = (options: ListenOptions, environment = {}): Promise<string> =>
        listen({ port: '0', ...options }, paper().print, { ...nothing, environment }).then(
          () => 'none',
          (error: unknown) => String(error),
        );
      const [secret, empty] = [file('secret', SECRET), file('empty', '\n')];
      expect(await problemOf({ secretFile: '/no/such' })).toMatch(
        /--secret-file: the file "\/no\/such" cannot be read/,
      );
      expect(await problemOf({}, { STEWARD_LISTEN_SECRET_FILE: empty })).toContain(
        `STEWARD_LISTEN_SECRET_FILE: the file "${empty}" is empty.`,
      );
      const both = 'set one of them, not both.';
      expect(await problemOf({ secret: SECRET, secretFile: secret })).toContain(`--secret and --secret-file: ${both}`);
      const environment = { STEWARD_LISTEN_SECRET: SECRET, STEWARD_LISTEN_SECRET_FILE: secret };
      const problem = await problemOf({}, environment);
      expect(problem).toContain(`STEWARD_LISTEN_SECRET and STEWARD_LISTEN_SECRET_FILE: ${both}`);
      expect(problem).not.toContain(SECRET);
    });
  });

  test('a typed line changes the answer, which stays when the input ends', async () => {
    const { url, text, input } = await running({ secret: SECRET, slow: '0.05' });
    input.write('500\n');
    await expect.poll(() => text()).toContain('500, from now on');
    expect((await deliver(url)).status).toBe(500);
    input.write('slow\n');
    await expect.poll(() => text()).toContain('200 after 0.05 s, from now on');
    expect((await deliver(url)).status).toBe(200);
    const times = (): number => text().split('Type a status from 200 to 599, slow or never').length - 1;
    input.write('help\n\nteapot\n');
    await expect.poll(() => times()).toBe(3);
    input.end('410\n');
    await expect.poll(() => text()).toContain('410, from now on');
    expect((await deliver(url)).status).toBe(410);
  });

  test('it runs without keyboard input', async () => {
    const { print, text } = paper();
    const input = new PassThrough().destroy();
    await listen({ port: '0' }, print, { input, environment: {}, stopped: () => Promise.resolve() });
    expect(text()).toContain('0 received, 0 verified, 0 repeats');
  });

  test('a port in use is reported with what to do', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => new Promise((resolve) => other.close(() => resolve())) });
    const { port } = other.address() as AddressInfo;
    await expect(listen({ port: String(port) }, paper().print)).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is in use. Stop the program that uses it, or choose another port with --port.`,
    );
  });

  test.each([
    [{ port: '70000' }, '--port must be a whole number from 0 to 65535, not "70000".'],
    [{ port: '0x10' }, '--port must be'],
    [{ answer: '199' }, '--answer must be a status from 200 to 599, slow or never, not "199".'],
    [{ answer: '600' }, '--answer must be'],
    [{ slow: '-1' }, '--slow must be a number of seconds from 0 to 3600, not "-1".'],
    [{ slow: '3601' }, '--slow must be'],
  ])('the flags %j are refused with the allowed values', async (options, message) => {
    await expect(listen(options, paper().print)).rejects.toThrow(message);
  });
});
