import { X509Certificate } from 'node:crypto';
import { connect as connectPlain, isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import type { Destination } from '../addresses/allowedAddresses.ts';
import { createSessions } from '../sessions.ts';

/** Begins a connection to one of these addresses. With https, the certificate must be that of the place's host. */
export type Dial = (place: Destination, isSecure: boolean, addresses: readonly string[]) => Socket;

/** What was judged is what is dialled: the name is not resolved a second time. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, found) => {
    if (options.all === true) found(null, all);
    else found(null, all[0]?.address ?? '', all[0]?.family);
  };
}

/** A text without any certificate would be taken in silence. */
function checkCa(ca: string): void {
  try {
    void new X509Certificate(ca);
  } catch (cause) {
    throw new Error('the CA for webhook receivers is not a certificate in PEM form', { cause });
  }
}

export function createDial(ca: string | undefined): Dial {
  if (ca !== undefined) checkCa(ca);
  const sessions = createSessions();
  // Made when first needed: reading all well-known roots takes a while.
  let context: SecureContext | undefined;
  const contextOf = () => (context ??= createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] }));

  return ({ host, port }, isSecure, addresses) => {
    const how = {
      host,
      port,
      lookup: pinnedTo(addresses),
      autoSelectFamily: true,
      // Node's 250 ms would give up on a distant receiver that has two addresses.
      autoSelectFamilyAttemptTimeout: 1000,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      noDelay: true,
    };
    if (!isSecure) return connectPlain(how);
    const key = `${host}:${port}`;
    const socket = connectTls({
      ...how,
      secureContext: contextOf(),
      // An address has no server name; its certificate is compared with `host`.
      ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
      session: sessions.find(key),
      ALPNProtocols: ['http/1.1'],
    });
    socket.on('session', (session) => sessions.keep(key, session));
    return socket;
  };
}
