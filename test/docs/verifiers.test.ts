import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Verifier } from '../../src/console/webhooks/form/verifiers.ts';
import { VERIFIERS } from '../../src/console/webhooks/form/verifiers.ts';
import { signatureOf, signingKey } from '../../src/model/webhookSignature.ts';
import { PROJECT } from '../support/run/project.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import type { VerifierReceiver } from '../support/webhooks/verifierReceiver.ts';
import { hasGo, hasJava, startVerifierReceiver } from '../support/webhooks/verifierReceiver.ts';

/** A key in base64, and one whose text is the key. */
const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a-plain-text-of-26-letters'];
const OTHER_SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const SERVICE = '/admin/services/Parcels.Query';
const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

const hasClients = inject('hasSoapClients');
const DEBIAN = hasClients ? '' : 'one of python3-zeep, php-cli, php-soap, libxml2-utils';

/** What this machine lacks to run the verifier of a language; empty if it lacks nothing. */
const LACKING: Readonly<Record<Verifier['language'], string>> = {
  Node: '',
  Python: DEBIAN,
  PHP: DEBIAN,
  Go: hasGo() ? '' : 'golang-go',
  Java: hasJava() ? '' : 'javac and java',
};

/** A delivery as it arrived. */
interface Delivered {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

let folder: TemporaryFolder;
let steward: StewardProcess;
let token: string;
beforeAll(async () => {
  folder = temporaryFolder();
  steward = await startSteward({ data: join(folder.path, 'data') });
  token = await steward.token();
  await steward.must('/admin/services/createService', { token, serviceName: 'Parcels', type: 'Query' });
});
afterAll(async () => {
  await steward.end('SIGTERM');
  folder.remove();
});

/** Creates a webhook and answers its path. */
async function subscribe(hookUrl: string, signatureKey: string): Promise<string> {
  const fields = { token, name: randomUUID(), hookUrl, signatureKey };
  return `${SERVICE}/webhooks/${(await steward.must(`${SERVICE}/webhooks/create`, fields)).webhook.id}`;
}

/** Lets Steward send a test event, and answers whether the receiver accepted it, and its status. */
async function delivery(webhook: string): Promise<readonly [boolean, number]> {
  const { delivered, test: attempt } = await steward.must(`${webhook}/test`, { token });
  return [delivered, attempt.status];
}

/** A delivery of Steward, recorded. */
async function record(secret: string): Promise<Delivered> {
  let isRecorded: (delivered: Delivered) => void;
  const recorded = new Promise<Delivered>((resolve) => (isRecorded = resolve));
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(HEADERS.map((name) => [name, String(request.headers[name])]));
      isRecorded({ headers, body: Buffer.concat(chunks) });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await delivery(await subscribe(`http://127.0.0.1:${port}`, secret));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return recorded;
}

async function statusOf(url: string, { headers, body }: Delivered): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })).status;
}

/** The same delivery, signed at another time. */
function signedAt(secret: string, { headers, body }: Delivered, seconds: number): Delivered {
  const id = headers['webhook-id'] ?? '';
  const signature = signatureOf([signingKey(secret)], id, seconds, body.toString());
  return { headers: { ...headers, 'webhook-timestamp': String(seconds), 'webhook-signature': signature }, body };
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

test.each(VERIFIERS)('[WHK5] the code that the console offers for $language is the code of the page', ({ code }) => {
  expect(readFileSync(join(PROJECT, 'docs/webhooks.md'), 'utf8')).toContain(code);
});

test('[WHK5] the receiver of docs/integrate.md has the same code', () => {
  const code = VERIFIERS.find(({ language }) => language === 'Node')?.code ?? 'none';
  expect(readFileSync(join(PROJECT, 'docs/integrate.md'), 'utf8')).toContain(code);
});

const CASES = VERIFIERS.flatMap((verifier) => SECRETS.map((secret) => ({ verifier, secret })));

for (const { verifier, secret } of CASES) {
  const lacking = LACKING[verifier.language];
  const note = lacking === '' ? '' : ` (left out: this machine lacks ${lacking})`;
  const title = `the verifier for ${verifier.language} and the key ${secret}${note}`;
  describe.skipIf(lacking !== '')(`[O4] a receiver with ${title}`, () => {
    let receiver: VerifierReceiver;
    let genuine: Delivered;
    beforeAll(async () => {
      receiver = await startVerifierReceiver(verifier, secret, folder.path);
      genuine = await record(secret);
    });
    afterAll(() => receiver.close());

    test('[WHK5] it accepts a delivery of Steward, also with the previous key during a rotation', async () => {
      const webhook = await subscribe(receiver.url, secret);
      expect(await delivery(webhook)).toEqual([true, 204]);
      await steward.must(`${webhook}/rotateKey`, { token });
      expect(await delivery(webhook)).toEqual([true, 204]);
    });

    test('[WHK5] it refuses a delivery that Steward signed with another key', async () => {
      expect(await delivery(await subscribe(receiver.url, OTHER_SECRET))).toEqual([false, 401]);
    });

    test('[WHK5] it refuses a recorded delivery with a changed body', async () => {
      expect(await statusOf(receiver.url, genuine)).toBe(204);
      const changed = Buffer.from(genuine.body);
      changed.writeUInt8(changed.readUInt8(changed.length - 2) ^ 1, changed.length - 2);
      expect(await statusOf(receiver.url, { ...genuine, body: changed })).toBe(401);
      expect(await statusOf(receiver.url, { ...genuine, body: Buffer.alloc(0) })).toBe(401);
    });

    test('[WHK5] it refuses an old or future timestamp, also with a valid signature, and any other text in its place', async () => {
      expect(await statusOf(receiver.url, signedAt(secret, genuine, nowInSeconds() - 240))).toBe(204);
      expect(await statusOf(receiver.url, signedAt(secret, genuine, nowInSeconds() - 301))).toBe(401);
      expect(await statusOf(receiver.url, signedAt(secret, genuine, nowInSeconds() + 600))).toBe(401);
      for (const text of ['', 'now', '-1', '\u00b2', '9'.repeat(5000)]) {
        const headers = { ...genuine.headers, 'webhook-timestamp': text };
        expect(await statusOf(receiver.url, { ...genuine, headers })).toBe(401);
      }
    });

    test.each(HEADERS)('[WHK5] it refuses a recorded delivery without %s', async (name) => {
      const headers = Object.fromEntries(Object.entries(genuine.headers).filter(([key]) => key !== name));
      expect(await statusOf(receiver.url, { ...genuine, headers })).toBe(401);
    });

    test('[WHK5] it refuses a signature that is empty, shorter or not ASCII', async () => {
      for (const signature of ['', 'v1,', genuine.headers['webhook-signature']?.slice(0, -1) ?? '', 'v1,\u00fc']) {
        const headers = { ...genuine.headers, 'webhook-signature': signature };
        expect(await statusOf(receiver.url, { ...genuine, headers })).toBe(401);
      }
    });
  });
}
