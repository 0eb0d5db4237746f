// A proxy may publish Steward below a path, the prefix: that of STEWARD_PUBLIC_URL. Inside the server no address has it. It is cut off
// when a request arrives, and added to every address that Steward publishes.
import type { IncomingMessage } from 'node:http';

/** Where the pages of Steward are published. */
export interface Site {
  readonly prefix: string;
  /** The path of {root}, with the prefix. */
  readonly home: string;
}

/** A request whose address has been rewritten. Fastify keeps the first one here. */
export interface RewrittenMessage extends IncomingMessage {
  originalUrl?: string;
}

/** Returns the path of the public address; empty if Steward is published at the top of its host. */
export function prefixOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/** Makes the function that cuts the prefix off an address that has it. A proxy may have done so already. */
export function createCutPrefix(prefix: string): (url: string) => string {
  const parts = prefix.split('/').slice(1);
  const atStart = new RegExp(`^${parts.map((part) => `/+${part.replaceAll('.', String.raw`\.`)}`).join('')}(?=[/?]|$)`);
  return (url) => {
    const rest = url.replace(atStart, '');
    return rest.startsWith('/') ? rest : `/${rest}`;
  };
}
