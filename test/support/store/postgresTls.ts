// TLS between Steward and the PostgreSQL servers of the tests: what a server and its clients are given, and both ends of the handshake,
// for proxies that read what passes.
import { chownSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { TLSSocket, connect } from 'node:tls';
import type { CertificateAuthority, IssuedCertificate } from './certificateAuthority.ts';
import { makeAuthority } from './certificateAuthority.ts';

const SERVER_FILE = 'server';
const SERVER_NAMES = ['DNS:localhost', 'IP:127.0.0.1', 'IP:0:0:0:0:0:0:0:1'];
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ACCEPTED = 'S';

export interface ServerTls {
  readonly authority: CertificateAuthority;
  /** The settings that switch TLS on. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Whether the servers of this run accept connections over TLS only. */
export function isOverTls(): boolean {
  const wanted = process.env['STEWARD_TEST_POSTGRES'] ?? '';
  if (wanted !== '' && wanted !== 'tls') throw new Error('STEWARD_TEST_POSTGRES must be tls, or not set.');
  return wanted === 'tls';
}

/** Makes an authority and the certificate of a server, in a folder of the server. PostgreSQL refuses a key of another user. */
export async function makeServerTls(
  folder: string,
  { uid, gid }: { readonly uid?: number; readonly gid?: number },
): Promise<ServerTls> {
  const authority = await makeAuthority(folder);
  const { cert, key } = await authority.issue(SERVER_FILE, 'localhost', SERVER_NAMES);
  if (uid !== undefined && gid !== undefined) chownSync(key, uid, gid);
  return {
    authority,
    settings: { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key, ssl_ca_file: authority.root },
  };
}

/** The same address, for a client that checks the certificate of the server. */
export function verified(url: string, root: string): string {
  const address = new URL(url);
  address.searchParams.set('sslmode', 'verify-full');
  address.searchParams.set('sslrootcert', root);
  return address.href;
}

interface TlsFiles extends IssuedCertificate {
  readonly root: string;
}

/** The files of the server of an address, for a proxy that takes its place; undefined without TLS. */
export function tlsFilesOf(url: string): TlsFiles | undefined {
  const root = new URL(url).searchParams.get('sslrootcert');
  if (root === null) return undefined;
  const file = (ending: string): string => join(dirname(root), `${SERVER_FILE}.${ending}`);
  return { root, cert: file('crt'), key: file('key') };
}

function firstData(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk) => {
      socket.pause();
      resolve(chunk);
    });
    socket.once('close', () => reject(new Error('The connection was closed before TLS.')));
  });
}

/** A connection inside TLS ends with the one outside. */
function inside(secured: TLSSocket, outside: Socket): Socket {
  return secured.on('error', () => outside.destroy());
}

/** Answers a client as PostgreSQL does, and returns what it sends and reads inside TLS. */
export async function acceptTls(client: Socket, { cert, key }: TlsFiles): Promise<Socket> {
  const asked = await firstData(client);
  if (!asked.equals(SSL_REQUEST)) throw new Error('The client does not ask for TLS.');
  client.write(ACCEPTED);
  return inside(new TLSSocket(client, { isServer: true, cert: readFileSync(cert), key: readFileSync(key) }), client);
}

/** Asks a server for TLS, and returns what is sent and read inside. */
export async function requestTls(server: Socket, host: string, { root }: TlsFiles): Promise<Socket> {
  server.write(SSL_REQUEST);
  const answer = await firstData(server);
  if (answer.toString() !== ACCEPTED) throw new Error('The server refuses TLS.');
  return inside(connect({ socket: server, host, ca: readFileSync(root) }), server);
}
