// Which part of the address of a server is {root}. A proxy may publish Steward below a path, and {root} is a setting, so that
// https://host/steward may be either. The server tells.
import { valueAt } from '../../foundation/schema/json.ts';
import { CommandFailure } from './exitCodes.ts';

export interface ServerAddress {
  /** The address of the server with {root}. */
  readonly base: string;
  /** The address of the server without {root}. */
  readonly origin: string;
}

const DEFAULT_ROOT = '/admin';

/** Reads the given address. `isCertain` says whether it tells where {root} begins. */
export function readAddress(given: string): ServerAddress & { readonly isCertain: boolean } {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CommandFailure(
      'usage',
      `The address of the server must be like https://host:6080, https://host/steward or https://host/steward/admin, not "${given}".`,
    );
  const whole = url.origin + url.pathname.replace(/\/+$/, '');
  if (whole === url.origin) return { base: whole + DEFAULT_ROOT, origin: whole, isCertain: true };
  if (whole.endsWith(DEFAULT_ROOT))
    return { base: whole, origin: whole.slice(0, -DEFAULT_ROOT.length), isCertain: true };
  return { base: whole, origin: url.origin, isCertain: false };
}

/** Returns the body of the answer to a GET without a token; undefined if it is not JSON or not a success. */
export type AskOpenly = (url: string) => Promise<unknown>;

/** Asks at each part of the path whether the server begins there, the longest first. Without an answer the whole path is {root}. */
export async function locate(given: string, ask: AskOpenly): Promise<ServerAddress> {
  const { base, origin, isCertain } = readAddress(given);
  if (isCertain) return { base, origin };
  const parts = base.slice(origin.length).split('/').slice(1);
  for (let count = parts.length; count >= 0; count -= 1) {
    const server = [origin, ...parts.slice(0, count)].join('/');
    const info = await ask(`${server}/rest/info?f=json`);
    if (typeof valueAt(info, 'authInfo', 'tokenServicesUrl') === 'string')
      return { origin: server, base: count === parts.length ? server + DEFAULT_ROOT : base };
  }
  return { base, origin };
}
