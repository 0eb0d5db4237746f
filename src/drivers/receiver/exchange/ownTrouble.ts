import { closeSync, openSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { NO_NAME_SERVER } from '../addresses/nameServerTrouble.ts';

const NO_MEMORY = 'this machine has no memory left for another connection';

/** What Steward or its machine lacks when a request cannot be sent, by error code. */
const LACKS: Readonly<Record<string, string>> = {
  EMFILE: 'Steward has no file descriptor left; raise its limit of open files (ulimit -n)',
  ENFILE: 'this machine has no file descriptor left; raise its limit of open files',
  EADDRNOTAVAIL: 'this machine has no local port left for another connection to this receiver',
  ENOBUFS: NO_MEMORY,
  ENOMEM: NO_MEMORY,
  EAI_MEMORY: NO_MEMORY,
};

/** A look-up that gets no descriptor may report that the name does not exist. */
const LOOKUP_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA']);

/** Errors that occur before the receiver is involved, and say nothing about why the other addresses failed. */
const NO_ROUTE: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EAFNOSUPPORT']);

function property(error: Error, name: 'code' | 'address'): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : '';
}

/** The errors of all addresses of a receiver, or the only one. */
function causesOf(error: Error): readonly Error[] {
  return error instanceof AggregateError ? error.errors.filter((one) => one instanceof Error) : [error];
}

function hasIPv6(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6') === true);
}

/** On a machine without IPv6, every connection to an IPv6 address fails with the code of a lack of ports. */
function isIPv6Missing(error: Error): boolean {
  return property(error, 'code') === 'EADDRNOTAVAIL' && isIPv6(property(error, 'address')) && !hasIPv6();
}

function isNoRoute(error: Error): boolean {
  return NO_ROUTE.has(property(error, 'code')) || isIPv6Missing(error);
}

function lacksDescriptor(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'));
    return false;
  } catch {
    return true;
  }
}

const NO_ROUTE_HERE: ReadonlySet<string> = new Set(['ENETUNREACH', 'ENETDOWN']);

/** Explains an error that is Steward's own trouble; undefined if the receiver or the way to it is the cause. */
export function ownTrouble(error: Error): string | undefined {
  if (property(error, 'code') === NO_NAME_SERVER) return error.message;
  const all = causesOf(error);
  const noRoute = all.map((one) => property(one, 'code')).find((one) => NO_ROUTE_HERE.has(one));
  if (noRoute !== undefined && all.every((one) => NO_ROUTE_HERE.has(property(one, 'code')) || isIPv6Missing(one)))
    return `this machine has no route to the network of the receiver (${noRoute})`;
  const causes = all.filter((one) => !isNoRoute(one));
  const code = causes.map((one) => property(one, 'code')).find((one) => LACKS[one] !== undefined);
  // If one address was tried and failed, the receiver had its chance.
  if (code !== undefined && causes.every((one) => LACKS[property(one, 'code')] !== undefined))
    return `${LACKS[code]} (${code})`;
  return LOOKUP_CODES.has(property(error, 'code')) && lacksDescriptor() ? `${LACKS['EMFILE']} (EMFILE)` : undefined;
}
