import { isIP } from 'node:net';
import { contains, isLoopback, isPublic, describeAddress, parseAddress, parseNetwork } from './ipNetwork.ts';
import type { IpNetwork } from './ipNetwork.ts';

export interface AddressGuard {
  isAllowed(address: string, port: number): boolean;
  /** Checks a URL without a name look-up. Returns the problem in words that name the setting, or undefined. */
  problemWith(url: string): string | undefined;
}

export interface AddressGuardOptions {
  /** Networks in CIDR notation or single addresses, from STEWARD_WEBHOOK_ALLOW. */
  readonly allow: readonly string[];
  readonly allowLoopback: boolean;
}

/** For an address of this machine, the advice is the setting to copy. */
function adviceFor(address: string): string {
  const parsed = parseAddress(address);
  const example = parsed !== undefined && isLoopback(parsed) ? `, as in STEWARD_WEBHOOK_ALLOW=${address}` : '';
  return `receivers must be public unless STEWARD_WEBHOOK_ALLOW lists their network${example}`;
}

/** `verb` is "is" for an address in the URL itself, and "leads to" for an address that a name resolved to. */
export function refusalOf(origin: string, verb: 'is' | 'leads to', address: string): string {
  return `${origin}/ ${verb} ${describeAddress(address)} (${address}); ${adviceFor(address)}`;
}

/** RFC 6761 reserves these names for this machine, independent of any name server. */
export function isLocalhost(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

export const LOCALHOST_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** Names with empty labels or a numeric last label do not exist in the DNS, but some resolvers read them as addresses. */
function isMalformedName(host: string): boolean {
  return !/^[^.]+(\.[^.]+)*\.?$/.test(host) || /(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(host) || /[%:[\]]/.test(host);
}

function problemWithForm(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the URL must start with http:// or https://';
  if (url.username !== '' || url.password !== '') {
    return 'the URL must not contain a user name or password; send credentials in a custom header';
  }
  if (url.hostname === '') return 'the URL has no host';
  return url.port === '0' ? 'port 0 cannot be connected to' : undefined;
}

function parseAllowed(entry: string): IpNetwork {
  const network = parseNetwork(entry);
  if (network === undefined) throw new Error(`STEWARD_WEBHOOK_ALLOW: "${entry}" is not an address or CIDR network`);
  return network;
}

/** Throws when an entry of `allow` cannot be parsed: an allow list must not take effect in part. */
export function createAddressGuard({ allow, allowLoopback }: AddressGuardOptions): AddressGuard {
  const networks = allow.map(parseAllowed);

  function isAllowed(text: string, port: number): boolean {
    const address = parseAddress(text);
    if (address === undefined || port < 1 || port > 65_535) return false;
    if (isPublic(address) || (allowLoopback && isLoopback(address))) return true;
    return networks.some((network) => contains(network, address));
  }

  function problemWith(text: string): string | undefined {
    if (!URL.canParse(text)) return 'this is not a URL';
    const url = new URL(text);
    const problem = problemWithForm(url);
    if (problem !== undefined) return problem;
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const literals = isIP(host) > 0 ? [host] : isLocalhost(host) ? LOCALHOST_ADDRESSES : [];
    if (literals.some((literal) => isAllowed(literal, portOf(url)))) return undefined;
    if (literals[0] !== undefined) return refusalOf(url.origin, 'is', literals[0]);
    return isMalformedName(host) ? `${url.host} is neither a host name nor an address` : undefined;
  }

  return { isAllowed, problemWith };
}
