import { X509Certificate } from 'node:crypto';
import { connect as connectPlain, isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { createBoundedCache } from '../../../foundation/cache/boundedCache.ts';
import type { Destination } from '../addresses/allowedAddresses.ts';

/** Starts a connection to one of these addresses. With TLS, the certificate must match the host of the destination. */
export type Dial = (destination: Destination, isSecure: boolean, addresses: readonly string[]) => Socket;

/** Returns the checked addresses instead of resolving the name again, so that DNS rebinding cannot change them. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

/** Node silently accepts a text without a certificate. */
function checkCa(ca: string): void {
  try {
    void new X509Certificate(ca);
  } catch (cause) {
    throw new Error('the CA for webhook receivers is not a certificate in PEM form', { cause });
  }
}

const MAX_SESSIONS = 1000;
/** The receiver decides how large its sessions are. */
const SESSION_BYTES = { maxBytes: 8 * 1024 * 1024, sizeOf: ({ length }: Buffer) => length };

export function createDial(ca: string | undefined): Dial {
  if (ca !== undefined) checkCa(ca);
  // A resumed TLS handshake costs a fraction of a full one. The key is host and port, because the name in the certificate is not
  // checked again on a resumed session.
  const sessions = createBoundedCache<string, Buffer>(MAX_SESSIONS, SESSION_BYTES);
  // Created on first use: parsing all well-known roots takes a while.
  let context: SecureContext | undefined;
  const contextOf = () => (context ??= createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] }));

  return ({ host, port }, isSecure, addresses) => {
    const options = {
      host,
      port,
      lookup: pinnedTo(addresses),
      autoSelectFamily: true,
      // Node's default of 250 ms is too short for a distant receiver with two addresses.
      autoSelectFamilyAttemptTimeout: 1000,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      noDelay: true,
    };
    if (!isSecure) return connectPlain(options);
    const key = `${host}:${port}`;
    const socket = connectTls({
      ...options,
      secureContext: contextOf(),
      // An IP address is not a server name; the certificate is compared with `host`.
      ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
      session: sessions.get(key),
      ALPNProtocols: ['http/1.1'],
    });
    socket.on('session', (session) => sessions.set(key, session));
    return socket;
  };
}
