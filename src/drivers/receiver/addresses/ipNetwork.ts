import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

export interface IpNetwork {
  readonly base: IpAddress;
  readonly bits: number;
}

/**
 * Accepts only the strict notations. The library reads "10" as 0.0.0.10 and "::10.0.0.1" as ::ffff:10.0.0.1, so it gets IPv6 in
 * hexadecimal only. An address with a zone id is refused, because the zone names an interface of this machine.
 */
function parse(text: string): IpAddress | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  return version === 4 ? ipaddr.IPv4.parse(text) : ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1));
}

function isMapped(address: IpAddress): address is ipaddr.IPv6 {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
}

/** Returns the embedded IPv4 address for an IPv4-mapped IPv6 address. */
export function parseAddress(text: string): IpAddress | undefined {
  const address = parse(text);
  return address !== undefined && isMapped(address) ? address.toIPv4Address() : address;
}

/** Parses "10.0.0.0/8", "fd00::/8" or a single address; undefined for anything else. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [start = '', length, ...rest] = text.trim().split('/');
  const base = parse(start);
  if (base === undefined || rest.length > 0) return undefined;
  const most = base.kind() === 'ipv4' ? 32 : 128;
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : NaN;
  if (!(bits <= most)) return undefined;
  // A network of mapped addresses is an IPv4 network. A wider IPv6 network contains no IPv4 address.
  return isMapped(base) && bits >= 96 ? { base: base.toIPv4Address(), bits: bits - 96 } : { base, bits };
}

export function contains({ base, bits }: IpNetwork, address: IpAddress): boolean {
  return base.kind() === address.kind() && address.match(base, bits);
}

const GLOBAL_V6: IpNetwork = { base: ipaddr.IPv6.parse('2000::'), bits: 3 };

/**
 * Whether an address is unicast and globally reachable. For IPv6 only the allocated range counts, so future special ranges
 * are refused by default.
 */
export function isPublic(address: IpAddress): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || contains(GLOBAL_V6, address));
}

export function isLoopback(address: IpAddress): boolean {
  return address.range() === 'loopback';
}

const WORDS: Readonly<Record<string, string>> = {
  private: 'a private address',
  uniqueLocal: 'a private address',
  loopback: 'a loopback address',
  linkLocal: 'a link-local address',
  carrierGradeNat: 'a carrier-grade NAT address',
  multicast: 'a multicast address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

/** Describes a forbidden address to people. */
export function describeAddress(text: string): string {
  const address = parseAddress(text);
  return WORDS[address?.range() ?? ''] ?? 'an address that is not public';
}
