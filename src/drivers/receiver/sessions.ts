const MOST = 1000;

/**
 * TLS sessions to take up again: a resumed handshake costs a fraction of a full one. Kept by host and port, because the
 * name in the certificate is not checked again on a resumed session.
 */
export function createSessions() {
  const byPlace = new Map<string, Buffer>();
  return {
    find: (key: string) => byPlace.get(key),
    keep(key: string, session: Buffer): void {
      byPlace.delete(key);
      byPlace.set(key, session);
      const [oldest] = byPlace.keys();
      if (byPlace.size > MOST && oldest !== undefined) byPlace.delete(oldest);
    },
  };
}
