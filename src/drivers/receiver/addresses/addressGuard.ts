import { isIP } from 'node:net';
import { splitAllowEntry } from './allowEntry.ts';
import { contains, isLoopback, isPublic, describeAddress, parseAddress, parseNetwork } from './ipNetwork.ts';
import type { IpAddress, IpNetwork } from './ipNetwork.ts';

export interface AddressGuard {
  isAllowed(address: string, port: number): boolean;
  /** Checks a URL without a name look-up. Returns the problem in words that name the setting, or undefined. */
  problemWith(url: string): string | undefined;
  /**
   * Says why the receiver at `origin` is refused. A name `leads to` an address; the text then has the class of the address only, because
   * a name server inside a network would tell its addresses to everyone who may save a webhook. An address that `is` in the URL itself
   * is repeated.
   */
  refusalOf(origin: string, verb: 'is' | 'leads to', address: string): Refusal;
}

export interface Refusal {
  readonly problem: string;
  /** The same with the address, for administrators. */
  readonly fullProblem: string;
}

export interface AddressGuardOptions {
  /** Networks in CIDR notation or single addresses, each with a port perhaps, from STEWARD_WEBHOOK_ALLOW. */
  readonly allow: readonly string[];
  readonly allowLoopback: boolean;
  /** The addresses of this machine, which are refused also if they are public. Called often. */
  readonly ownAddresses?: () => readonly string[];
}

const ADVICE = 'receivers must be public unless STEWARD_WEBHOOK_ALLOW lists their network';
const NO_ADDRESSES: readonly string[] = [];

/** For an address of this machine, the advice is the setting to copy. */
function adviceFor(address: string): string {
  const parsed = parseAddress(address);
  const example = parsed !== undefined && isLoopback(parsed) ? `, as in STEWARD_WEBHOOK_ALLOW=${address}` : '';
  return ADVICE + example;
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

interface AllowedNetwork {
  readonly network: IpNetwork;
  readonly port: number | undefined;
}

function parseAllowed(entry: string): AllowedNetwork {
  const { network: text = '', port } = splitAllowEntry(entry) ?? {};
  const network = parseNetwork(text);
  if (network === undefined)
    throw new Error(`STEWARD_WEBHOOK_ALLOW: "${entry}" is not an address or CIDR network, with a port perhaps`);
  return { network, port };
}

/** Makes the function that tells whether an address is one of this machine. The list is converted only if it is another one. */
function createIsOwn(ownAddresses: () => readonly string[]): (address: IpAddress) => boolean {
  let list: readonly string[] = [];
  let own: ReadonlySet<string> = new Set();
  return (address) => {
    const found = ownAddresses();
    if (found !== list) {
      list = found;
      own = new Set(found.map((one) => parseAddress(one)?.toString() ?? one));
    }
    return own.size > 0 && own.has(address.toString());
  };
}

/** Throws when an entry of `allow` cannot be parsed: an allow list must not take effect in part. */
export function createAddressGuard({
  allow,
  allowLoopback,
  ownAddresses = () => NO_ADDRESSES,
}: AddressGuardOptions): AddressGuard {
  const allowed = allow.map(parseAllowed);
  const isOwn = createIsOwn(ownAddresses);

  function isAllowed(text: string, port: number): boolean {
    const address = parseAddress(text);
    if (address === undefined || port < 1 || port > 65_535) return false;
    if ((isPublic(address) && !isOwn(address)) || (allowLoopback && isLoopback(address))) return true;
    return allowed.some(({ network, port: only }) => (only ?? port) === port && contains(network, address));
  }

  function classOf(text: string): string {
    const address = parseAddress(text);
    return address !== undefined && isPublic(address) && isOwn(address)
      ? 'an address of the machine of Steward'
      : describeAddress(text);
  }

  function refusalOf(origin: string, verb: 'is' | 'leads to', address: string): Refusal {
    const kind = classOf(address);
    const fullProblem = `${origin}/ ${verb} ${kind} (${address}); ${adviceFor(address)}`;
    return { fullProblem, problem: verb === 'is' ? fullProblem : `${origin}/ ${verb} ${kind}; ${ADVICE}` };
  }

  function problemWith(text: string): string | undefined {
    if (!URL.canParse(text)) return 'this is not a URL';
    const url = new URL(text);
    const problem = problemWithForm(url);
    if (problem !== undefined) return problem;
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const literals = isIP(host) > 0 ? [host] : isLocalhost(host) ? LOCALHOST_ADDRESSES : [];
    if (literals.some((literal) => isAllowed(literal, portOf(url)))) return undefined;
    if (literals[0] !== undefined) return refusalOf(url.origin, 'is', literals[0]).problem;
    return isMalformedName(host) ? `${url.host} is neither a host name nor an address` : undefined;
  }

  return { isAllowed, problemWith, refusalOf };
}
