// Addresses of callers in one notation. A token is bound to one address; failed sign-ins are counted by network, because
// a caller with IPv6 has a whole /64 of addresses.
import { SocketAddress, isIP, isIPv4 } from 'node:net';

const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;
const IPV4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const LONGEST_KEY = 64;

/** Drops what proxies and sockets add to an address: brackets, a port, a zone. */
function bareAddress(text: string): string {
  const host = BRACKETED.exec(text)?.[1] ?? IPV4_WITH_PORT.exec(text)?.[1] ?? text;
  return host.split('%', 1)[0] ?? host;
}

/** Returns the one notation of an address: IPv4-mapped IPv6 as IPv4, IPv6 in its short form. Undefined for other texts. */
export function canonicalAddress(text: string): string | undefined {
  // Nearly every request has such an address, and needs no further look at it.
  if (isIPv4(text)) return text;
  const bare = bareAddress(text.trim());
  const family = isIP(bare);
  if (family === 4) return bare;
  if (family !== 6) return undefined;
  const address = MAPPED.test(bare) ? bare : new SocketAddress({ address: bare, family: 'ipv6' }).address;
  return MAPPED.exec(address)?.[1] ?? address;
}

function groupsOf(part: string): readonly string[] {
  return part.split(':').filter((group) => group !== '');
}

/** Returns the first four groups of an IPv6 address. An IPv4 notation of its last two groups does not matter. */
function prefixOf(address: string): string {
  const [front = '', back] = address.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const [head, tail] = [groupsOf(front), groupsOf(back ?? '')];
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}

/** Returns the key under which failed sign-ins are counted: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(text: string): string {
  const address = canonicalAddress(text);
  if (address === undefined) return text.slice(0, LONGEST_KEY);
  return isIP(address) === 4 ? address : `${prefixOf(address)}::/64`;
}
