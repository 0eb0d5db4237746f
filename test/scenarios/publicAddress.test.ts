import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/foundation/clock.ts';
import { createSealer } from '../../src/foundation/sealer.ts';
import { checkHeaders } from '../../src/service/doctor/publicChecks.ts';
import type { SeenRequest } from '../../src/wire/answers/doctorAnswer.ts';
import { PROOF_HEADER, proofText } from '../../src/wire/answers/doctorAnswer.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const OWN_KEY = createSealer([Buffer.alloc(32, 7)]);
const OTHER_KEY = createSealer([Buffer.alloc(32, 8)]);

describe('[DEC101] what a request looks like to Steward', () => {
  let steward: InProcessServer;
  beforeAll(async () => {
    steward = await startInProcess({ trustedProxies: ['127.0.0.1'] });
  });
  afterAll(() => steward.close());

  function proof(at = steward.clock.now(), sealer = OWN_KEY): Readonly<Record<string, string>> {
    return { [PROOF_HEADER]: `${at}:${sealer.sign(proofText(at))}` };
  }

  test('a holder of the master key sees it', async () => {
    const { status, body } = await steward.get('/doctor', {
      ...proof(),
      'x-forwarded-for': '198.51.100.7',
      'x-forwarded-host': 'steward.example',
      'x-forwarded-proto': 'https',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      address: '198.51.100.7',
      host: 'steward.example',
      protocol: 'https',
      peer: '127.0.0.1',
      peerPort: expect.any(Number),
      isPeerTrusted: true,
      forwardedFor: '198.51.100.7',
    });
  });

  test('for everyone else the address does not exist, also with an old or a forged proof', async () => {
    const { text: unknown } = await steward.get('/nothing');
    const now = steward.clock.now();
    for (const headers of [
      {},
      proof(now - MINUTE - 1),
      proof(now + MINUTE + 1),
      proof(now, OTHER_KEY),
      { [PROOF_HEADER]: `${now + 1}:${OWN_KEY.sign(proofText(now))}` },
      { [PROOF_HEADER]: 'x' },
    ])
      for (const path of ['/doctor', '/doctor?events']) {
        const { status, text } = await steward.get(path, headers);
        expect([status, text]).toEqual([404, unknown]);
      }
  });
});

describe('[DEC101] the headers of a proxy', () => {
  const RIGHT: SeenRequest = {
    address: '10.0.0.9',
    host: 'steward.example',
    protocol: 'https',
    peer: '10.0.0.1',
    peerPort: 1,
    isPeerTrusted: true,
    forwardedFor: '10.0.0.9',
  };

  test.each([
    ['are right', {}, 'pass', 'replaces the headers'],
    ['are right with a port', { host: 'steward.example:443' }, 'pass', 'replaces the headers'],
    ['come from a proxy that is not trusted', { isPeerTrusted: false }, 'fail', 'does not trust the proxy at 10.0.0.1'],
    ['are those of the client', { address: '192.0.2.66', forwardedFor: '192.0.2.66' }, 'fail', 'can forge its address'],
    [
      'are appended to those of the client',
      { address: '192.0.2.66', forwardedFor: '192.0.2.66, 10.0.0.2' },
      'warn',
      'appends to its X-Forwarded-For',
    ],
    ['have no address', { address: '10.0.0.1', forwardedFor: '' }, 'fail', 'sends no X-Forwarded-For'],
    ['have another scheme', { protocol: 'http' }, 'fail', 'X-Forwarded-Proto: it is http, and clients use https'],
    ['have another host', { host: 'forged.invalid' }, 'warn', 'X-Forwarded-Host: it is forged.invalid'],
  ] as const)('headers that %s are recognised', (_title, seen, verdict, text) => {
    expect(checkHeaders({ ...RIGHT, ...seen }, 'https://steward.example/steward')).toMatchObject({
      verdict,
      text: expect.stringContaining(text),
    });
  });
});
