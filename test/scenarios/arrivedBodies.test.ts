// Most bodies arrive in the packet of their head, and are answered without waiting for events (http/server/registerRoute.ts).
// A body that comes later is received by fastify. Both must be answered alike.
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer;
let port: number;
let token: string;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
  port = Number(new URL(await steward.app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => steward.close());

/** Writes a packet, and the next one when the server has read a head. Returns what comes until the connection is closed. */
async function exchange(packets: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    const left = packets.slice();
    const writeNext = (): void => void socket.write(left.shift() ?? '');
    steward.app.server.on('request', writeNext);
    socket.on('connect', writeNext);
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      steward.app.server.off('request', writeNext);
      resolve(answer.replace(/^(?:x-request-id|date|connection): .*\r\n/gim, ''));
    });
  });
}

interface Sample<B = string> {
  readonly address: string;
  readonly headers: readonly string[];
  readonly body: B;
}

function headOf({ address, headers, body }: Sample<string | Buffer>, more = 'Connection: close'): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return `POST ${address} HTTP/1.1\r\n${['Host: x', more, length, ...headers].join('\r\n')}\r\n\r\n`;
}

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const JSON_TYPE = 'Content-Type: application/json';
const XML = 'Content-Type: text/xml; charset=utf-8';

function envelope(operation: string): string {
  return `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation}/></e:Body></e:Envelope>`;
}

const MODE = '/admin/mode';
const CREATE = '/admin/services/createService';

/** `TOKEN` stands for a valid token. */
const SAMPLES: Readonly<Record<string, readonly [status: number, address: string, headers: string[], body: string]>> = {
  'a form': [200, MODE, [FORM], 'token=TOKEN&f=json'],
  'a form with a charset': [200, MODE, [`${FORM};charset=UTF-8`], 'token=TOKEN&f=json'],
  'a form with its type in capitals': [200, MODE, [FORM.toUpperCase()], 'token=TOKEN&f=json'],
  'a form with another parameter of its type': [200, MODE, [`${FORM}; a=b`], 'token=TOKEN&f=json'],
  'a form at an address of the compat interface': [200, '/compat/admin/mode', [FORM], 'token=TOKEN&f=json'],
  'a form with escapes and a repeated field': [400, CREATE, [FORM], 'token=TOKEN&type=a%20b&type=c+d&f=json'],
  'a form with invalid fields': [400, CREATE, [FORM], 'token=TOKEN&serviceName=.x&type=a.b'],
  'a form with a bad escape': [400, MODE, [FORM], 'token=TOKEN&a=%zz'],
  'a form with too many fields': [413, MODE, [FORM], `token=TOKEN&${'a=b&'.repeat(300)}`],
  'a form without a token': [401, MODE, [FORM], 'f=json'],
  'a form with an invalid token': [401, MODE, [FORM], 'token=no&f=json'],
  'a form with an invalid token in its head': [401, MODE, [FORM, 'Authorization: Bearer no'], 'token=TOKEN'],
  'a form with a valid token in its head': [200, MODE, [FORM, 'Authorization: Bearer TOKEN'], 'f=json'],
  'a form to an address that takes none': [404, '/nowhere', [FORM], 'a=b'],
  'a form to an address that is only read': [405, '/healthz', [FORM], 'a=b'],
  'a form that says it is compressed': [415, MODE, [FORM, 'Content-Encoding: gzip'], 'token=TOKEN'],
  'a JSON object': [200, MODE, [JSON_TYPE], '{"token":"TOKEN"}'],
  'JSON that is not an object': [400, MODE, [JSON_TYPE], '[1]'],
  'damaged JSON': [400, MODE, [JSON_TYPE], '{"token":'],
  'a body of an unknown type': [415, MODE, ['Content-Type: image/png'], 'x'],
  'a body whose type is the name of a property of every object': [415, MODE, ['Content-Type: constructor'], 'x'],
  'a body without a type': [415, MODE, [], 'x'],
  'an empty body': [401, MODE, [FORM], ''],
  'a SOAP envelope': [200, '/services', [XML], envelope('GetMessageVersion')],
  'a SOAP envelope with a token': [200, '/services?token=TOKEN', [XML], envelope('GetFolders')],
  'a SOAP envelope with an invalid token': [500, '/services?token=no', [XML], envelope('GetFolders')],
  'a SOAP envelope without a type': [200, '/services', [], envelope('GetMessageVersion')],
  'a SOAP envelope of an unknown operation': [500, '/services', [XML], envelope('Get')],
  'XML that is not well-formed': [500, '/services', [XML], '<e'],
  'a SOAP envelope that is sent as a form': [415, '/services', [FORM], envelope('GetMessageVersion')],
  'a SOAP envelope with a malformed type': [415, '/services', ['Content-Type: text'], envelope('GetFolders')],
  'an empty SOAP request': [500, '/services', [XML], ''],
};

function sampleOf(name: string): Sample & { readonly status: number } {
  const [status = 0, address = '', headers = [], body = ''] = SAMPLES[name] ?? [];
  const withToken = (text: string): string => text.replaceAll('TOKEN', token);
  return { status, address: withToken(address), headers: headers.map(withToken), body: withToken(body) };
}

describe('a body that arrives with its head is answered as one that comes later', () => {
  test.each(Object.keys(SAMPLES))('[REQ1] %s', async (name) => {
    const sample = sampleOf(name);
    const together = await exchange([Buffer.concat([Buffer.from(headOf(sample)), Buffer.from(sample.body)])]);
    expect(together).toMatch(new RegExp(`^HTTP/1.1 ${sample.status} `));
    expect(await exchange([headOf(sample), sample.body])).toBe(together);
  });

  test('[CAT2] a compressed SOAP envelope', async () => {
    const body = gzipSync(envelope('GetMessageVersion'));
    const sample = { address: '/services', headers: [XML, 'Content-Encoding: gzip'], body };
    const together = await exchange([Buffer.concat([Buffer.from(headOf(sample)), body])]);
    expect(together).toMatch(/^HTTP\/1.1 200 .*svcProductVersion10/s);
    expect(await exchange([headOf(sample), body])).toBe(together);
  });

  test('[REQ9] a form of more than 8 KiB, whose memory counts', async () => {
    const sample = { address: MODE, headers: [FORM], body: `token=${token}&a=${'b'.repeat(9000)}` };
    const together = await exchange([headOf(sample) + sample.body]);
    expect(together).toMatch(/^HTTP\/1.1 400 /);
    expect(await exchange([headOf(sample), sample.body])).toBe(together);
  });
});

test('requests that arrive in one packet are answered one after the other', async () => {
  const form = sampleOf('a form');
  const soap = sampleOf('a SOAP envelope');
  const all = await exchange([
    `${headOf(form, 'Connection: keep-alive')}${form.body}${headOf(soap, 'Connection: keep-alive')}${soap.body}` +
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  ]);
  expect(all.split('HTTP/1.1 200 OK')).toEqual([
    '',
    expect.stringContaining('"isReadOnly":false'),
    expect.stringContaining('svcProductVersion10'),
    expect.stringContaining('"status":"alive"'),
  ]);
});

test('a connection stays open after a body that has arrived as a whole and cannot be parsed', async () => {
  const [damaged, form] = [sampleOf('damaged JSON'), sampleOf('a form')];
  const all = await exchange([headOf(damaged, 'Connection: keep-alive') + damaged.body, headOf(form) + form.body]);
  expect(all).toMatch(/^HTTP\/1.1 400 .*HTTP\/1.1 200 .*"isReadOnly":false/s);
});

test('a connection is used again after a body that arrived with its head', async () => {
  const form = sampleOf('a form');
  const all = await exchange([headOf(form, 'Connection: keep-alive') + form.body, headOf(form), form.body]);
  expect(all.match(/"isReadOnly":false/g)).toHaveLength(2);
});
