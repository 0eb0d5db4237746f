import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { IS_SOAK, TEST_TIMEOUT_MS } from '../support/run/limits.ts';
import { HOSTILE_HEADS, HOSTILE_INPUTS } from '../support/server/hostileInputs.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

const BATCH = 8;
const REQUESTS = IS_SOAK ? 40_000 : 2000;
const LARGEST_RSS_MB = 300;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const folder = temporaryFolder();
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let steward: StewardProcess;
let token: string;

beforeAll(async () => {
  steward = await startSteward({ data: folder.path, env: { STEWARD_LOG_LEVEL: 'warn' } });
  token = await steward.token();
});
afterAll(async () => {
  agent.destroy();
  await steward.end('SIGKILL');
  folder.remove();
});

const PATHS = [
  '/tokens/generateToken',
  '/admin/services/createService',
  '/admin/services/createFolder',
  '/admin/services/A.B/edit',
  '/admin/services/F/A.B',
  '/admin/security/users/create',
  '/admin/security/tokens/create',
  '/admin/security/audit',
  '/admin/mode',
  '/compat/admin/mode',
  '/services',
];
const NAMES = [
  'token',
  'f',
  'serviceName',
  'type',
  'folderName',
  'description',
  'access',
  'url',
  'username',
  'password',
  'role',
  'expiration',
  'limit',
  'before',
  'isReadOnly',
  'message',
  'ifRevision',
  '__proto__',
  'constructor',
  'csrfToken',
];

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '%',
    '%zz',
    '%ff%fe',
    '../..',
    '{"id":1}',
    '[]',
    'null',
    '1e9',
    '-0',
    '９',
    'x'.repeat(5000),
    '<a>&"\'',
    '\r\nX: y',
    '$1',
    "'; drop table service; --",
  ),
);
const value = fc.oneof(nasty, fc.constantFrom('A', 'Map', 'true', 'json', 'pjson', 'html', 'viewer', '60', 'public'));
const fields = fc.array(
  fc.tuple(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: nasty }), value),
  { maxLength: 12 },
);

/** Removes, doubles or overwrites a few bytes. */
const mutations = fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom('cut', 'double', 'noise')), { maxLength: 3 });

function mutate(body: Buffer, edits: readonly (readonly [number, number, string])[]): Buffer {
  let bytes = body;
  for (const [at, length, kind] of edits) {
    if (bytes.length === 0) break;
    const from = at % bytes.length;
    const piece = bytes.subarray(from, from + length);
    const middle =
      kind === 'cut'
        ? []
        : kind === 'double'
          ? [piece, piece]
          : [Buffer.from(piece.map((byte, n) => byte ^ (n * 37 + 1)))];
    bytes = Buffer.concat([bytes.subarray(0, from), ...middle, bytes.subarray(from + length)]);
  }
  return bytes;
}

function formBody(pairs: readonly (readonly [string, string])[]): Buffer {
  return Buffer.from(new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString());
}

function multipartBody(pairs: readonly (readonly [string, string])[]): Buffer {
  const parts = pairs.map(
    ([name, text], n) =>
      `--B\r\nContent-Disposition: form-data; name="${name}"${n % 3 === 0 ? '; filename="x"' : ''}\r\n\r\n${text}\r\n`,
  );
  return Buffer.from(`${parts.join('')}--B--\r\n`);
}

const xmlBody = Buffer.from(
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><GetServiceDescriptions/></e:Body></e:Envelope>',
);

const requests = fc
  .tuple(
    fc.constantFrom(...PATHS),
    fc.constantFrom('form', 'multipart', 'xml'),
    fields,
    mutations,
    fc.boolean(),
    fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT'),
  )
  .map(([path, kind, pairs, edits, withToken, method]): Sent => {
    const all = withToken ? ([['token', token], ...pairs] as const) : pairs;
    const type = {
      form: 'application/x-www-form-urlencoded',
      multipart: 'multipart/form-data; boundary=B',
      xml: 'text/xml',
    }[kind];
    const body = kind === 'form' ? formBody(all) : kind === 'multipart' ? multipartBody(all) : xmlBody;
    return { method, path, headers: { 'content-type': type }, body: mutate(body, edits) };
  });

function headersWith(headers: Readonly<Record<string, string>>, isSent: boolean): Record<string, string> {
  return isSent ? { authorization: `Bearer ${token}`, ...headers } : { ...headers };
}

/** Nesting, repetition and anchors: any hostile input in any size, with its powers of two equally likely, and then mutated. */
const hostileBodies = fc
  .tuple(fc.constantFrom(...HOSTILE_INPUTS), fc.double({ min: 0, max: 1, noNaN: true }), mutations, fc.boolean())
  .map(([{ path, contentType, maxBytes, body }, share, edits, isSent]): Sent => {
    const bytes = body(Math.ceil(maxBytes ** share), token);
    const headers = headersWith({ 'content-type': contentType }, isSent);
    return { method: 'POST', path, headers, body: mutate(bytes, edits) };
  });

const hostileHeads = fc
  .tuple(fc.constantFrom(...HOSTILE_HEADS), fc.boolean())
  .map(([{ path, headers }, isSent]): Sent => ({
    method: 'GET',
    path,
    headers: headersWith(headers, isSent),
    body: Buffer.alloc(0),
  }));

const anyRequest = fc.oneof(
  { weight: 6, arbitrary: requests },
  { weight: 3, arbitrary: hostileBodies },
  { weight: 1, arbitrary: hostileHeads },
);

function send({ method, path, headers, body }: Sent): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${steward.url}${path}`,
      { method, headers: { ...headers, 'content-length': String(body.length) }, agent },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    // A request without an answer is named before the time of the whole test is over.
    outgoing.setTimeout(TEST_TIMEOUT_MS / 2, () =>
      outgoing.destroy(
        new Error(`no answer to ${method} ${path} ${JSON.stringify(body.toString('latin1').slice(0, 2000))}`),
      ),
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function rssMb(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${steward.pid}/status`, 'utf8'))?.[1]) / 1024;
}

test(`[REQ9] ${REQUESTS} mutated and hostile forms, JSON, YAML, multipart bodies, XML documents and heads cause no 5xx except SOAP faults, no crash and no unbounded memory`, async () => {
  let sent = 0;
  const property = fc.asyncProperty(fc.array(anyRequest, { minLength: BATCH, maxLength: BATCH }), async (batch) => {
    const answers = await Promise.all(batch.map(send));
    sent += answers.length;
    const wrong = answers.filter(
      ({ status, text }) =>
        status >= 500 &&
        status !== 503 &&
        !/<faultcode>soap:(Client|VersionMismatch|MustUnderstand)<\/faultcode>/.test(text),
    );
    expect(wrong).toEqual([]);
    // A mutated request may have switched on read-only mode.
    if (answers.some(({ status }) => status === 503)) await steward.post('/admin/mode', { token, isReadOnly: 'false' });
  });
  await fc.assert(property, {
    numRuns: REQUESTS / BATCH,
  });
  expect(sent).toBe(REQUESTS);
  expect(rssMb()).toBeLessThan(LARGEST_RSS_MB);
  expect((await fetch(`${steward.url}/readyz`)).status).toBe(200);
  expect(steward.log()).not.toMatch(/"level":50/);
});
