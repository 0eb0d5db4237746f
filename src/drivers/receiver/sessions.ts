import { createRecent } from './recent.ts';

/**
 * TLS sessions to take up again: a resumed handshake costs a fraction of a full one. Kept by host and port, because the
 * name in the certificate is not checked again on a resumed session.
 */
export function createSessions() {
  return createRecent<Buffer>(1000);
}
