import { SHOWN_NAMES } from '../../drivers/kubernetes/workloads/managers.ts';
import type { InstanceAddress } from '../../drivers/database/instance.ts';
import type { PostgresPairOptions } from '../../drivers/database/postgresPair.ts';
import { isIP } from 'node:net';
import type { Rewrite } from '../../drivers/kubernetes/registry/imageReference.ts';
import type { FieldResult } from '../../wire/fields/fields.ts';
import { splitAllowEntry } from '../../drivers/receiver/addresses/allowEntry.ts';
import { kindName } from '../../model/objects/bundleObject.ts';
import { invalid, text, valid } from '../../wire/fields/fields.ts';
import { parsePostgresAddress } from '../../store/postgresAddress.ts';

export function readHost(given: string): FieldResult<string> {
  if (isIP(given) !== 0 || /^[a-z\d]([a-z\d.-]{0,252}[a-z\d])?$/i.test(given)) return valid(given);
  return invalid('must be an address or a host name to listen on, such as 127.0.0.1 or 0.0.0.0');
}

/** Reads the path of a file or folder. Only a shell knows what `~` means, and only at the beginning of a word. */
export function readPath(given: string): FieldResult<string> {
  if (given.startsWith('~'))
    return invalid('begins with ~, which only a shell replaces: write the whole path, or use $HOME in a shell');
  return text(4096).read(given);
}

/** The first parts of addresses outside {root}. */
const RESERVED = [
  'services',
  'rest',
  'tokens',
  'compat',
  'console',
  'healthz',
  'readyz',
  'metrics',
  'doctor',
  'openapi.json',
];

function firstPart(path: string): string {
  return path.split('/')[1] ?? '';
}

export function readRoot(given: string): FieldResult<string> {
  const trimmed = given.replace(/\/+$/, '');
  if (/^(\/[\w.~-]+)+$/.test(trimmed) && !RESERVED.includes(firstPart(trimmed))) return valid(trimmed);
  return invalid('must be a path such as /admin that Steward does not use for something else');
}

/** Reads the address that Steward publishes. Its path is the prefix of all other addresses. */
export function readPublicUrl(given: string): FieldResult<string> {
  const url = URL.canParse(given) && !/[?#]/.test(given) ? new URL(given) : undefined;
  const path = url?.pathname.replace(/\/+$/, '') ?? '';
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isAddress || !/^(\/[\w.~-]+)*$/.test(path))
    return invalid('must be an http or https address such as https://steward.example or https://host.example/steward');
  return valid(url.origin + path);
}

/**
 * Says why the path of the public address cannot be used; undefined if it can. A request below it looks the same as one for an address
 * of Steward itself, if both begin in the same way.
 */
export function prefixProblem(publicUrl: string, root: string): string | undefined {
  const path = new URL(publicUrl).pathname;
  const own = [...new Set([...RESERVED, 'system', firstPart(root)])];
  if (!own.includes(firstPart(path))) return undefined;
  return `the path must not begin with an address of Steward itself (${own.map((part) => `/${part}`).join(', ')}), not "${path}". Publish Steward below another path, such as /steward`;
}

export function readStore(given: string): FieldResult<string> {
  if (given === 'sqlite') return valid(given);
  if (!/^postgres(ql)?:\/\/\S+$/.test(given))
    return invalid('must be sqlite, or an address such as postgres://user:password@host/database');
  const address = parsePostgresAddress(given);
  return typeof address === 'string' ? invalid(address) : valid(given);
}

export function readDatabasePair(given: string): FieldResult<PostgresPairOptions['instances'] | undefined> {
  const servers = listOf(given).flatMap((one): InstanceAddress[] => {
    const [, name, url] = /^([a-z\d][a-z\d-]{0,62})=(postgres(?:ql)?:\/\/\S+)$/.exec(one) ?? [];
    return name === undefined || url === undefined || !URL.canParse(url) ? [] : [{ name, url }];
  });
  const [first, second, ...more] = servers;
  if (first === undefined || second === undefined || more.length > 0 || first.name === second.name)
    return invalid(
      'must be two servers with different names, such as a=postgres://host-a/postgres,b=postgres://host-b/postgres',
    );
  return valid([first, second]);
}

function isNetwork(given: string): boolean {
  const [address = '', bits, ...rest] = given.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function listOf(given: string): readonly string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function readNetworks(given: string): FieldResult<readonly string[]> {
  const networks = listOf(given);
  const wrong = networks.filter((network) => !isNetwork(network));
  return wrong.length === 0
    ? valid(networks)
    : invalid(`must be networks such as 10.0.0.0/8, comma-separated; invalid: ${wrong.join(', ')}`);
}

/** Networks of receivers, each with a port perhaps. */
export function readReceiverNetworks(given: string): FieldResult<readonly string[]> {
  const entries = listOf(given);
  const wrong = entries.filter((entry) => !isNetwork(splitAllowEntry(entry)?.network ?? ''));
  return wrong.length === 0
    ? valid(entries)
    : invalid(
        `must be networks such as 10.0.0.0/8, or ports of them such as 10.0.0.0/8:443 and [fd00::1]:443, comma-separated; invalid: ${wrong.join(', ')}`,
      );
}

/** Accepts what a browser sends in the Origin header. `*` and `null` would let any page in. */
export function readOrigins(given: string): FieldResult<readonly string[]> {
  const origins = listOf(given);
  const wrong = origins.filter((origin) => !/^https?:\/\/[^/?#@\s*]+\/?$/i.test(origin) || !URL.canParse(origin));
  return wrong.length === 0
    ? valid(origins.map((origin) => new URL(origin).origin))
    : invalid(`must be origins such as https://portal.example, comma-separated; invalid: ${wrong.join(', ')}`);
}

function readWords(given: string, rule: string): FieldResult<readonly string[]> {
  const words = listOf(given);
  return words.every((word) => !/\s/.test(word)) ? valid(words) : invalid(rule);
}

/** Whether a manager is named as the plan shows it. */
function isShown(name: string): boolean {
  return SHOWN_NAMES.some((one) => one.toLowerCase() === name.toLowerCase());
}

export function readNamespaces(given: string): FieldResult<readonly string[]> {
  return readWords(given, 'must be namespaces, comma-separated');
}

export function readClusterNamespace(given: string): FieldResult<string> {
  return /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/.test(given)
    ? valid(given)
    : invalid('must be the name of a namespace: at most 63 lower-case letters, digits and hyphens');
}

export function readNames(given: string): FieldResult<readonly string[]> {
  const names = listOf(given);
  return names.every((name) => !/\s/.test(name) || isShown(name))
    ? valid(names)
    : invalid(`must be names without spaces, or one of ${SHOWN_NAMES.join(', ')}; comma-separated`);
}

const KIND = /^(?<kind>[A-Z][A-Za-z\d]{0,62})(?:\.(?<group>[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?))?$/;

/** Kinds of objects with or without their groups, as `kindName` names them. */
export function readKinds(given: string): FieldResult<readonly string[]> {
  const found = listOf(given).map((one) => KIND.exec(one)?.groups);
  const kinds = found.flatMap((one) => {
    const { kind, group = '' } = one ?? {};
    return kind === undefined ? [] : [kindName({ apiVersion: `${group}/v1`, kind })];
  });
  return kinds.length === found.length
    ? valid(kinds)
    : invalid('must be kinds, such as ClusterRole or Widget.example.com, comma-separated');
}

/** A host with an optional port. */
export function readRegistries(given: string): FieldResult<readonly string[]> {
  const hosts = listOf(given);
  const wrong = hosts.filter((host) => !/^[a-z\d.-]+(:\d{1,5})?$/i.test(host));
  return wrong.length === 0
    ? valid(hosts)
    : invalid(`must be registries such as mirror.local:5000, comma-separated; invalid: ${wrong.join(', ')}`);
}

export function readRewrites(given: string): FieldResult<readonly Rewrite[]> {
  const pairs = listOf(given);
  const wrong = pairs.filter((pair) => !/^[^=\s@]+=[^=\s@]+$/.test(pair));
  if (wrong.length > 0)
    return invalid(
      `must be pairs such as registry.example/product=mirror.local:5000/product, comma-separated; invalid: ${wrong.join(', ')}`,
    );
  return valid(
    pairs.map((pair) => {
      const [from = '', to = ''] = pair.split('=').map((part) => part.replace(/\/+$/, ''));
      return { from, to };
    }),
  );
}
