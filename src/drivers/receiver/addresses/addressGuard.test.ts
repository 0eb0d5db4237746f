import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Receiver } from '../../../webhooks/ports/receiver.ts';
import { createAddressGuard } from './addressGuard.ts';
import { createReceiver } from '../receiver.ts';

const PUBLIC_ONLY = createAddressGuard({ allow: [], allowLoopback: false });

function words(text: string): readonly string[] {
  return text.trim().split(/ +|\n +/);
}

/** PORT stands for the port of a loopback server that must never be contacted. */
const LOOPBACK_URLS: readonly string[] = [
  ...words(`
    127.0.0.1 127.1 127.0.1 127.0.0.1. 127.255.255.254 127.1. 0177.0.0.1 0177.1 0x7f.0.0.1 0x7f.1 0x7f000001 0X7F000001
    2130706433 017700000001 00000177.0.0.01 127.0x0.00.1 0 0.0.0.0 0.0 0x0 00 0. %31%32%37.0.0.1 127%2e1
    %31%32%37%2e%30%2e%30%2e%31 １２７.0.0.1 １２７．０．０．１ 127。0。0。1 127｡0｡0｡1 127．0．0．1 ①②⑦.⓪.⓪.① 𝟭𝟮𝟳.𝟬.𝟬.𝟭
    [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [0::0] [::0.0.0.1] [::ffff:127.0.0.1] [::FFFF:7f00:1] [::ffff:127.1.2.3]
    [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [::7f00:1] [::ffff:0.0.0.0] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]
    [64:ff9b::7f00:1] [64:ff9b:1::127.0.0.1] [2002:7f00:1::] [2002:7f00:0001::1] [2001:0:7f00:1::] [2001::80ff:fffe]
    localhost LOCALHOST LocalHost localhost. foo.localhost a.b.localhost foo.localhost. ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ
    loc%61lhost x。localhost localhost%2e`),
  '127.0.\n0.1',
  '127.\t0.0.1',
  'lo\ncalhost',
  'local\u00ADhost',
  '1\u00AD27.0.0.1',
].map((host) => `http://${host}:PORT/hook`);

const TRICKS: readonly string[] = [
  'http://example.com@127.0.0.1:PORT/',
  'http://user:secret@127.0.0.1:PORT/',
  'http://user@example.com/',
  'http://:secret@example.com/',
  'https://user:secret@example.com/',
  'http://example.com:80@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT#@example.com/',
  'http://127.0.0.1:PORT?@example.com/',
  'http://127.0.0.1:PORT\\@example.com/',
  'http://example.com%40127.0.0.1:PORT/',
  'http:127.0.0.1:PORT/',
  'http:/127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT/',
  'http:////127.0.0.1:PORT/',
  '  http://127.0.0.1:PORT/  ',
  'ht\ntp://127.0.0.1:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/',
  'https://[::1]:PORT/',
  'https://localhost:PORT/',
  'http://localhost..:PORT/',
  'http://127.0.0.1..:PORT/',
  'http://.127.0.0.1:PORT/',
  'http://127.0.0.1.x..:PORT/',
  'http://.localhost:PORT/',
  'http://1.2.3.4.5:PORT/',
  'http://256.0.0.1:PORT/',
  'http://127.0.0.0x:PORT/',
  'http://foo.0x7f:PORT/',
  'http://foo.1:PORT/',
  'http://0x7f.0.0.1.:PORT/',
  'http://[127.0.0.1]:PORT/',
  'http://[localhost]:PORT/',
  'http://[::1%25lo]:PORT/',
  'http://[::1%lo]:PORT/',
  'http://[fe80::1%25eth0]:PORT/',
  'http://[fe80::1%eth0]:PORT/',
  'http://[::1:PORT/',
  'http://::1:PORT/',
  'http://example.com:0/',
  'http://93.184.216.34:0/',
  'http://example.com:65536/',
  'http://example.com:-1/',
  'http://example.com:80:80/',
  'http://',
  'http://:PORT/',
  'http:///',
  'https://',
  '',
  'example.com',
  '//127.0.0.1:PORT/',
  '/hook',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'gopher://127.0.0.1:PORT/_POST',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'ws://127.0.0.1:PORT/',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'dict://127.0.0.1:PORT/',
  'blob:http://127.0.0.1:PORT/x',
  'jar:http://127.0.0.1:PORT!/',
  'http://xn--/',
  'http://exa mple.com/',
  'http://a%00b/',
  'http://127.0.0.1%00.example.com:PORT/',
  'http://127.0.0.1%0d%0a.example.com:PORT/',
];

const FORBIDDEN_ADDRESSES: readonly string[] = [
  ...words(`
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254 169.254.0.1
    172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255
    198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::2 ::ffff:10.0.0.1
    ::ffff:169.254.169.254 ::10.0.0.1 ::8.8.8.8 ::a9fe:a9fe ::ffff:0:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe
    64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:30::1 2001:db8::1 2002:a00:1::1
    2002:a9fe:a9fe:: 3fff::1 3fff:fff::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 febf::1 fec0::1 feff::1 ff02::1
    ff0e::1 4000::1 e000::1 200::1 fe80::1%eth0 ::1%lo 2606:2800:220:1::1%eth0 10.1 0x7f000001 2130706433`),
  'not an address',
  '',
];

const PUBLIC_ADDRESSES = words(
  '93.184.216.34 8.8.8.8 1.1.1.1 172.32.0.1 100.128.0.1 169.253.0.1 ::ffff:8.8.8.8 2606:4700::1',
);

let port = 0;
let connections = 0;
const loopbackServer = createTcpServer((socket) => {
  connections += 1;
  socket.destroy();
});
const receivers: Receiver[] = [];

function opened(options: Parameters<typeof createReceiver>[0]): Receiver {
  const receiver = createReceiver(options);
  receivers.push(receiver);
  return receiver;
}

function requestTo(url: string) {
  return { url, headers: { 'content-type': 'application/json' }, body: '{}', timeoutMs: 2000 };
}

beforeAll(async () => {
  // Listens on every address of this machine, so that a connection by any notation is seen.
  await new Promise<void>((resolve) => {
    loopbackServer.once('error', () => loopbackServer.listen(0, '0.0.0.0', resolve));
    loopbackServer.listen(0, '::', resolve);
  });
  port = (loopbackServer.address() as AddressInfo).port;
});

afterAll(async () => {
  await Promise.all(receivers.map(async (receiver) => receiver.close()));
  await new Promise((resolve) => loopbackServer.close(resolve));
});

function withPort(url: string): string {
  return url.replaceAll('PORT', String(port));
}

test('[WHK9] every hostile URL is refused, both when it is saved and when it is sent to', async () => {
  const toLoopback = opened({ guard: PUBLIC_ONLY, lookup: async () => ['127.0.0.1', '::1'] });
  const urls = [...LOOPBACK_URLS, ...TRICKS].map(withPort);
  expect(new Set(urls).size).toBeGreaterThan(120);
  const letThrough = [];
  for (const url of urls) {
    const problem = await toLoopback.problemWith(url);
    const outcome = await toLoopback.send(requestTo(url));
    if (problem === undefined || outcome.kind !== 'unreachable' || outcome.reason !== problem) {
      letThrough.push({ url, problem, outcome });
    }
  }
  expect(letThrough).toEqual([]);
  expect(connections).toBe(0);
});

test('[WHK9] every notation of loopback is refused without a look-up, in words that name the setting', () => {
  for (const url of LOOPBACK_URLS.map(withPort)) {
    expect({ url, problem: PUBLIC_ONLY.problemWith(url) }).toEqual({
      url,
      problem: expect.stringContaining('STEWARD_WEBHOOK_ALLOW') as unknown,
    });
  }
});

test('[WHK9] a refusal names the URL, the kind of address and the setting; the address behind a name is for administrators', async () => {
  const leads = opened({ guard: PUBLIC_ONLY, lookup: async () => ['10.0.0.1'] });
  const advice = 'receivers must be public unless STEWARD_WEBHOOK_ALLOW lists their network';
  expect(PUBLIC_ONLY.problemWith('http://10.0.0.1/hook?key=1')).toBe(
    `http://10.0.0.1/ is a private address (10.0.0.1); ${advice}`,
  );
  expect(PUBLIC_ONLY.problemWith('https://[::ffff:a9fe:a9fe]:444/')).toBe(
    `https://[::ffff:a9fe:a9fe]:444/ is a link-local address (::ffff:a9fe:a9fe); ${advice}`,
  );
  const reason = `http://intra.example:81/ leads to a private address; ${advice}`;
  expect(await leads.problemWith('http://intra.example:81/')).toBe(reason);
  expect(await leads.send(requestTo('http://intra.example:81/'))).toMatchObject({ kind: 'unreachable', reason });
  expect(await leads.problemWith('http://intra.example:81/', true)).toBe(
    `http://intra.example:81/ leads to a private address (10.0.0.1); ${advice}`,
  );
  expect(PUBLIC_ONLY.problemWith('http://a:b@example.com/')).toContain('custom header');
});

test('[WHK9] a name that resolves to any forbidden address is refused when it is saved and when it is sent to', async () => {
  const byName = new Map(FORBIDDEN_ADDRESSES.map((address, index) => [`n${index}.example`, address]));
  const receiver = opened({ guard: PUBLIC_ONLY, lookup: async (name) => [byName.get(name) ?? ''] });
  for (const [name, address] of byName) {
    const url = `http://${name}:${port}/`;
    const problem = await receiver.problemWith(url, true);
    expect({ address, problem }).toEqual({ address, problem: expect.stringContaining(`(${address})`) as unknown });
    const reason = await receiver.problemWith(url);
    expect(reason).toBe(problem?.replace(` (${address})`, '').replace(/, as in .*/, ''));
    expect(await receiver.send(requestTo(url))).toMatchObject({ kind: 'unreachable', reason });
    expect(PUBLIC_ONLY.isAllowed(address, 443)).toBe(false);
  }
  expect(connections).toBe(0);
});

test('[WHK9] public addresses, names and all their ports are allowed', async () => {
  const receiver = opened({ guard: PUBLIC_ONLY, lookup: async () => ['93.184.216.34'] });
  for (const address of PUBLIC_ADDRESSES)
    expect([address, PUBLIC_ONLY.isAllowed(address, 443)]).toEqual([address, true]);
  for (const url of [
    'http://example.com',
    'https://example.com:1/a?b#c',
    'http://93.184.216.34:65535/',
    'http://bücher.example.',
  ]) {
    expect([url, await receiver.problemWith(url)]).toEqual([url, undefined]);
  }
  expect(PUBLIC_ONLY.isAllowed('93.184.216.34', 0)).toBe(false);
});

test('[WHK9] a name that does not resolve, or has no addresses, can be saved', async () => {
  const lost = opened({
    guard: PUBLIC_ONLY,
    lookup: async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    },
  });
  const empty = opened({ guard: PUBLIC_ONLY, lookup: async () => [] });
  expect(await lost.problemWith('http://later.example/')).toBeUndefined();
  expect(await empty.problemWith('http://later.example/')).toBeUndefined();
  expect(await lost.send(requestTo('http://later.example/'))).toMatchObject({
    kind: 'unreachable',
    reason: 'the host name is not known (ENOTFOUND)',
  });
});

test('[WHK9] an allow list allows the networks that it lists and no others', () => {
  const guard = createAddressGuard({
    allow: ['10.0.0.0/8', '192.168.7.7', ' fd00::/16 ', '::ffff:172.16.0.0/108'],
    allowLoopback: false,
  });
  const allowed = words('10.0.0.1 10.255.255.255 ::ffff:10.0.0.1 192.168.7.7 fd00::1 172.16.0.1 172.31.0.1 8.8.8.8');
  const refused = words(`
    11.0.0.1%x 192.168.7.8 192.168.7.6 fd01::1 127.0.0.1 ::1 169.254.169.254 172.15.0.1. 0.0.0.0 64:ff9b::10.0.0.1
    64:ff9b:1::10.0.0.1 2002:a00:1:: ::10.0.0.1 ::ffff:0:10.0.0.1 2001:0:a00:1:: fd00::1%eth0`);
  for (const address of allowed) expect([address, guard.isAllowed(address, 80)]).toEqual([address, true]);
  for (const address of refused) expect([address, guard.isAllowed(address, 80)]).toEqual([address, false]);
  expect(guard.problemWith('http://10.2.3.4/')).toBeUndefined();
  expect(guard.problemWith('http://0xa020304/')).toBeUndefined();
  expect(guard.problemWith('http://localhost/')).toContain('loopback');
});

test('[WHK9] an allow list of all IPv6 addresses allows no IPv4 address', () => {
  const guard = createAddressGuard({ allow: ['::/0'], allowLoopback: false });
  expect(guard.isAllowed('64:ff9b::10.0.0.1', 80)).toBe(true);
  expect(guard.isAllowed('10.0.0.1', 80)).toBe(false);
  expect(guard.isAllowed('::ffff:10.0.0.1', 80)).toBe(false);
});

test('[WHK9] an allow list with an invalid entry throws an error that names the entry', () => {
  for (const entry of [
    '10/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'fd00::/129',
    'example.com',
    '',
    'fe80::1%eth0',
    '10.0.0.0/',
  ]) {
    expect(() => createAddressGuard({ allow: [entry], allowLoopback: false })).toThrow(
      `STEWARD_WEBHOOK_ALLOW: "${entry}"`,
    );
  }
});

test('[WHK9] an entry of the allow list may have a port, which is then the only one that is allowed', () => {
  const allow = ['10.0.0.0/8:443', '192.168.7.20:8443', 'fd00::/8:443', '[fc00::1]:80', '[fc00::2]', '172.16.0.0/12'];
  const guard = createAddressGuard({ allow, allowLoopback: false });
  const allowed = ['10.1.2.3:443', '192.168.7.20:8443', 'fd00::5:443', 'fc00::1:80', 'fc00::2:9', '172.16.0.1:9'];
  const refused = ['10.1.2.3:80', '192.168.7.20:443', '192.168.7.21:8443', 'fd00::5:80', 'fc00::1:443', 'fc00::3:80'];
  const isAllowed = (place: string): boolean => {
    const colon = place.lastIndexOf(':');
    return guard.isAllowed(place.slice(0, colon), Number(place.slice(colon + 1)));
  };
  expect(allowed.filter((place) => !isAllowed(place))).toEqual([]);
  expect(refused.filter(isAllowed)).toEqual([]);
  for (const entry of [
    '10.0.0.0/8:0',
    '10.0.0.0/8:65536',
    '10.0.0.0/8:',
    '10.0.0.1:x',
    '[fd00::1]:0',
    '[10.0.0.1',
    ':443',
  ])
    expect(() => createAddressGuard({ allow: [entry], allowLoopback: false })).toThrow(`"${entry}"`);
});

test('[WHK9] an address of this machine is refused although it is public, unless the list has it', async () => {
  let own: readonly string[] = ['127.0.0.1', '93.184.216.34', '2606:4700::6810:1'];
  const guard = createAddressGuard({ allow: ['93.184.216.34:8443'], allowLoopback: false, ownAddresses: () => own });
  expect(guard.isAllowed('93.184.216.34', 443)).toBe(false);
  expect(guard.isAllowed('::ffff:93.184.216.34', 443)).toBe(false);
  expect(guard.isAllowed('2606:4700:0::6810:1', 443)).toBe(false);
  expect(guard.isAllowed('93.184.216.34', 8443)).toBe(true);
  expect(guard.isAllowed('93.184.216.35', 443)).toBe(true);
  const receiver = opened({ guard, lookup: async () => ['93.184.216.34'] });
  expect(await receiver.problemWith('https://steward.example/')).toBe(
    'https://steward.example/ leads to an address of the machine of Steward; receivers must be public unless STEWARD_WEBHOOK_ALLOW lists their network',
  );
  own = [];
  expect(guard.isAllowed('93.184.216.34', 443)).toBe(true);
});

test('[WHK9] loopback is allowed if the guard allows it or the list has it, and a rejection shows the setting', () => {
  const local = createAddressGuard({ allow: [], allowLoopback: true });
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost']) {
    expect([host, local.problemWith(`http://${host}:8080/`)]).toEqual([host, undefined]);
  }
  for (const host of ['10.0.0.1', '0.0.0.0', '[::]', '[::127.0.0.1]', '169.254.169.254']) {
    expect(local.problemWith(`http://${host}:8080/`)).toContain('STEWARD_WEBHOOK_ALLOW');
  }
  const listed = createAddressGuard({ allow: ['127.0.0.1'], allowLoopback: false });
  expect(listed.problemWith('http://127.0.0.1:6090/')).toBeUndefined();
  expect(listed.problemWith('http://127.0.0.2:6090/')).toContain('as in STEWARD_WEBHOOK_ALLOW=127.0.0.2');
});

test('[WHK9] a name that was public when it was saved and resolves to loopback later is not connected to', async () => {
  const answers = [['93.184.216.34'], ['127.0.0.1'], ['::1']];
  const receiver = opened({ guard: PUBLIC_ONLY, lookup: async () => answers.shift() ?? [] });
  const url = `http://rebind.example:${port}/`;
  expect(await receiver.problemWith(url)).toBeUndefined();
  expect(await receiver.send(requestTo(url))).toMatchObject({
    kind: 'unreachable',
    reason: expect.stringContaining('leads to a loopback address;') as unknown,
  });
  expect(await receiver.send(requestTo(url))).toMatchObject({
    kind: 'unreachable',
    reason: expect.stringContaining('leads to a loopback address;') as unknown,
  });
  expect(connections).toBe(0);
});

/** Runs a server on 127.0.0.2, which an allow list can distinguish from 127.0.0.1. */
async function neighbour(
  answer: Parameters<typeof createServer>[1],
  use: (port: number) => Promise<void>,
): Promise<void> {
  const server = createServer(answer as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const NEIGHBOUR_ONLY = createAddressGuard({ allow: ['127.0.0.2'], allowLoopback: false });

test('[WHK9] a connection dials the address that was checked, with a single look-up, so DNS rebinding has no effect', async () => {
  await neighbour(
    (_request, response) => response.end('neighbour'),
    async (at) => {
      let lookups = 0;
      const receiver = opened({
        guard: NEIGHBOUR_ONLY,
        lookup: async () => [(lookups += 1) === 1 ? '127.0.0.2' : '127.0.0.1'],
      });
      expect(await receiver.send(requestTo(`http://rebind.example:${at}/`))).toMatchObject({
        kind: 'accepted',
        answer: 'neighbour',
      });
      expect(lookups).toBe(1);
    },
  );
});

test('[WHK9] only the allowed addresses of a name with mixed addresses are dialled', async () => {
  await neighbour(
    (_request, response) => response.end('neighbour'),
    async (at) => {
      const receiver = opened({
        guard: NEIGHBOUR_ONLY,
        lookup: async () => ['10.0.0.1', '127.0.0.1', '::1', '127.0.0.2', 'fe80::1'],
      });
      const url = `http://mixed.example:${at}/`;
      expect(await receiver.problemWith(url)).toBeUndefined();
      expect(await receiver.send(requestTo(url))).toMatchObject({ kind: 'accepted', answer: 'neighbour' });
    },
  );
});

test('[WHK9] the address of the connected socket is checked again', async () => {
  let requests = 0;
  await neighbour(
    (_request, response) => {
      requests += 1;
      response.end();
    },
    async (at) => {
      const judged: string[] = [];
      const isAllowed = (address: string) => judged.push(address) === 1;
      const guard = { ...PUBLIC_ONLY, problemWith: () => undefined, isAllowed };
      const receiver = opened({ guard, lookup: async () => ['127.0.0.2'] });
      expect(await receiver.send(requestTo(`http://turns.example:${at}/`))).toMatchObject({
        kind: 'unreachable',
        reason: expect.stringContaining('leads to a loopback address;') as unknown,
      });
      expect([judged, requests]).toEqual([['127.0.0.2', '127.0.0.2'], 0]);
    },
  );
});

test('[WHK6] [WHK9] a redirect counts as refused and is not followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    await neighbour(
      (_request, response) => response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end(),
      async (at) => {
        const receiver = opened({ guard: NEIGHBOUR_ONLY });
        expect(await receiver.send(requestTo(`http://127.0.0.2:${at}/`))).toMatchObject({ kind: 'refused', status });
      },
    );
  }
  expect(connections).toBe(0);
});

test('[WHK9] the loopback server of these tests notices a connection', async () => {
  const receiver = opened({ guard: createAddressGuard({ allow: ['127.0.0.1'], allowLoopback: false }) });
  const before = connections;
  await receiver.send(requestTo(`http://127.0.0.1:${port}/`));
  await expect.poll(() => connections).toBe(before + 1);
});
