import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { connectKubernetes } from '../kubernetesDriver.ts';

interface Parts {
  readonly server: string;
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

const PLAIN = { 'insecure-skip-tls-verify': true };

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that notes what it is sent, as the API server would get it. */
async function notingServer() {
  const requests: IncomingMessage[] = [];
  const answer: RequestListener = (incoming, response) => {
    requests.push(incoming);
    response.end('{}');
  };
  const port = await listening(createServer(answer));
  return { requests, url: `http://127.0.0.1:${port}` };
}

/** Writes a kubeconfig, in JSON, which is YAML. */
function kubeconfig(
  { server, cluster = PLAIN, user = {}, context = {} }: Parts,
  folder = temporaryFolder().path,
): string {
  const file = join(folder, 'kubeconfig');
  const document = {
    clusters: [{ name: 'shop', cluster: { server, ...cluster } }],
    users: [{ name: 'ann', user }],
    contexts: [{ name: 'here', context: { cluster: 'shop', user: 'ann', ...context } }],
    'current-context': 'here',
  };
  writeFileSync(file, JSON.stringify(document));
  return file;
}

async function askWith(file: string) {
  const connection = await connectKubernetes({ kubeconfig: file });
  onTestFinished(() => connection.close());
  const answer = await connection.send({ method: 'GET', path: '/version' });
  await answer.body.dump();
  return answer.statusCode;
}

describe('[K3] the fields of a constructed kubeconfig', () => {
  test('proxy-url: the requests go through the proxy', async () => {
    const { url, requests } = await notingServer();
    const proxied: string[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url: target = '' }, socket) => {
      proxied.push(target);
      const [host = '', port = ''] = target.split(':');
      const upstream = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      upstream.pipe(socket);
      socket.pipe(upstream);
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    });
    const port = await listening(proxy);
    const cluster = { ...PLAIN, 'proxy-url': `http://127.0.0.1:${port}` };
    expect(await askWith(kubeconfig({ server: url, cluster }))).toBe(200);
    expect(proxied).toEqual([url.replace('http://', '')]);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['token', { token: 't1' }, 'Bearer t1'],
    ['tokenFile', { tokenFile: 'token' }, 'Bearer from a file'],
    ['username and password', { username: 'ann', password: 'secret' }, `Basic ${btoa('ann:secret')}`],
  ])('%s: is sent', async (_, user, authorization) => {
    const { url, requests } = await notingServer();
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    writeFileSync(join(folder.path, 'token'), 'from a file');
    expect(await askWith(kubeconfig({ server: url, user }, folder.path))).toBe(200);
    expect(requests[0]?.headers.authorization).toBe(authorization);
  });

  test('exec: the token that the program prints is sent', async () => {
    const { url, requests } = await notingServer();
    const credential = JSON.stringify({ kind: 'ExecCredential', status: { token: 'printed' } });
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'echo', args: [credential] };
    expect(await askWith(kubeconfig({ server: url, user: { exec } }))).toBe(200);
    expect(requests[0]?.headers.authorization).toBe('Bearer printed');
  });

  test('exec: a program that fails is named, and what it prints is not repeated', async () => {
    const { url } = await notingServer();
    const args = ['-c', 'echo secret-of-the-program >&2; exit 3'];
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/sh', args };
    const failure = await askWith(kubeconfig({ server: url, user: { exec } })).catch((error: unknown) => String(error));
    expect(failure).toContain('the credential command of the kubeconfig (exec: /bin/sh) failed');
    expect(failure).not.toContain('secret-of-the-program');
  });

  test('tokenFile: a line break at the end of the file is not part of the token', async () => {
    const { url, requests } = await notingServer();
    const folder = temporaryFolder().path;
    writeFileSync(join(folder, 'token'), 'from-the-file\n');
    const user = { tokenFile: join(folder, 'token') };
    expect(await askWith(kubeconfig({ server: url, user }))).toBe(200);
    expect(requests[0]?.headers.authorization).toBe('Bearer from-the-file');
  });

  test('as: the other user is named', async () => {
    const { url, requests } = await notingServer();
    expect(await askWith(kubeconfig({ server: url, user: { token: 't', as: 'bob' } }))).toBe(200);
    expect(requests[0]?.headers['impersonate-user']).toBe('bob');
  });

  test.each([
    [{ user: { as: 'bob', 'as-groups': ['x'] } }, 'as-groups of a user is not supported'],
    [{ user: { 'auth-provider': { name: 'made-up' } } }, 'the auth-provider made-up is not supported'],
    [{ cluster: { 'proxy-url': 'ftp://127.0.0.1:1' } }, 'a proxy-url with ftp: is not supported'],
    [{ cluster: { 'certificate-authority': '/nowhere/ca.crt' } }, 'the file /nowhere/ca.crt of certificate-authority'],
    [{ user: { 'client-key': '/nowhere/key' } }, 'the file /nowhere/key of client-key does not exist'],
    [{ context: { user: 'bob' } }, '[K8] its context here names the user bob, which it does not have'],
    [{ context: { cluster: 'other' } }, '[K8] its context here names the cluster other, which it does not have'],
  ])('%j is refused: %s', async (parts, problem) => {
    const file = kubeconfig({ server: 'https://127.0.0.1:1', ...parts });
    const refusal = await connectKubernetes({ kubeconfig: file }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(problem.replace('[K8] ', '')),
    });
    expect(String(refusal)).toContain(`The kubeconfig ${file} cannot be`);
  });
});

describe('[K3] TLS of a constructed kubeconfig', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);

  /** Makes an authority, and a certificate of it for a name. */
  function makeCertificates(): void {
    mkdirSync(folder.path, { recursive: true });
    writeFileSync(at('names'), 'subjectAltName=DNS:cluster.test');
    const steps = [
      'req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=authority -days 2',
      'req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=ann',
      'x509 -req -in request.pem -CA ca.crt -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile names',
    ];
    for (const step of steps) {
      const { status, stderr } = spawnSync('openssl', step.split(' '), { cwd: folder.path });
      if (status !== 0) throw new Error(String(stderr));
    }
  }

  beforeAll(() => {
    makeCertificates();
    return () => folder.remove();
  });

  async function tlsServer() {
    const subjects: (string | undefined)[] = [];
    const server = createTlsServer(
      {
        key: readFileSync(at('key.pem')),
        cert: readFileSync(at('cert.pem')),
        ca: readFileSync(at('ca.crt')),
        requestCert: true,
        rejectUnauthorized: false,
      },
      ({ socket }, response) => {
        const peer: unknown = Reflect.get(socket, 'getPeerCertificate');
        subjects.push(typeof peer === 'function' ? JSON.stringify(peer.call(socket).subject?.CN) : undefined);
        response.end('{}');
      },
    );
    return { subjects, url: `https://127.0.0.1:${await listening(server)}` };
  }

  test('certificate-authority and tls-server-name: the server is verified under the given name', async () => {
    const { url } = await tlsServer();
    const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'cluster.test' };
    expect(await askWith(kubeconfig({ server: url, cluster }, folder.path))).toBe(200);
    const wrong = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'other.test' };
    await expect(askWith(kubeconfig({ server: url, cluster: wrong }, folder.path))).rejects.toThrow(/altnames|cert/i);
  });

  test('insecure-skip-tls-verify and client-certificate: the certificate of the user is shown, and that of the server not verified', async () => {
    const { url, subjects } = await tlsServer();
    const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' };
    expect(await askWith(kubeconfig({ server: url, user }, folder.path))).toBe(200);
    expect(subjects).toEqual(['"ann"']);
    await expect(askWith(kubeconfig({ server: url, cluster: {} }, folder.path))).rejects.toThrow(
      /certificate|self.signed/i,
    );
  });
});
