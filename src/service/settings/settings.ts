import { isIP } from 'node:net';
import { MESSAGE_FORMATS, MESSAGE_VERSIONS } from '../../wire/soap/catalogSchema.ts';
import type { FieldResult } from '../../wire/operations/fields.ts';
import { boolean, choice, integer, invalid, text, valid } from '../../wire/operations/fields.ts';

/** One row of the configuration: its name in the environment is also its flag (`--public-url`) and its key in the file (`public-url`). */
export interface Setting<T = unknown> {
  readonly read: (text: string) => FieldResult<T>;
  readonly byDefault: T;
  /** The default in words, where the value itself does not say it. */
  readonly defaultIs?: string;
  readonly about: string;
  /** Never printed, not even in an error. */
  readonly isSecret?: true;
}

function setting<T>(row: Setting<T>): Setting<T> {
  return row;
}

function readHost(given: string): FieldResult<string> {
  if (isIP(given) !== 0 || /^[a-z\d]([a-z\d.-]{0,252}[a-z\d])?$/i.test(given)) return valid(given);
  return invalid('must be an address or a host name to listen on, such as 127.0.0.1 or 0.0.0.0');
}

function readRoot(given: string): FieldResult<string> {
  const trimmed = given.replace(/\/+$/, '');
  if (
    /^(\/[\w.~-]+)+$/.test(trimmed) &&
    !/^\/(services|rest|tokens|compat|console|healthz|readyz|metrics|openapi\.json)(\/|$)/.test(trimmed)
  ) {
    return valid(trimmed);
  }
  return invalid('must be a path such as /admin, and none that Steward uses for something else');
}

function readOrigin(given: string): FieldResult<string> {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol) || /[?#]/.test(given)) {
    return invalid('must be an http or https address such as https://steward.example');
  }
  return valid(given.replace(/\/+$/, ''));
}

function readStore(given: string): FieldResult<string> {
  if (given === 'sqlite' || /^postgres(ql)?:\/\/\S+$/.test(given)) return valid(given);
  return invalid('must be sqlite, or an address such as postgres://user:password@host/database');
}

function isNetwork(given: string): boolean {
  const [address = '', bits, ...rest] = given.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function readNetworks(given: string): FieldResult<readonly string[]> {
  const networks = given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const wrong = networks.filter((network) => !isNetwork(network));
  return wrong.length === 0
    ? valid(networks)
    : invalid(`must be networks such as 10.0.0.0/8, parted by commas; wrong: ${wrong.join(', ')}`);
}

function readNamespaces(given: string): FieldResult<readonly string[]> {
  const names = given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return names.every((name) => !/\s/.test(name)) ? valid(names) : invalid('must be namespaces parted by commas');
}

function optionalText(atMost: number): (given: string) => FieldResult<string | undefined> {
  return text(atMost).read;
}

export const SETTINGS = {
  host: setting({
    read: readHost,
    byDefault: '127.0.0.1',
    about: 'The address to listen on. 0.0.0.0 is every IPv4 address of the machine.',
  }),
  port: setting({
    read: integer(0, 65_535).read,
    byDefault: 6080,
    about: 'The port to listen on; 0 takes a free one.',
  }),
  root: setting({
    read: readRoot,
    byDefault: '/admin',
    about: 'The path below which the administrative interface answers.',
  }),
  publicUrl: setting<string | undefined>({
    read: readOrigin,
    byDefault: undefined,
    defaultIs: 'the address that each request used',
    about: 'The address that Steward hands out to clients. Set it behind a proxy.',
  }),
  trustedProxies: setting<readonly string[]>({
    read: readNetworks,
    byDefault: [],
    defaultIs: 'none',
    about: 'Networks of proxies whose X-Forwarded-For, -Host and -Proto headers are believed.',
  }),
  tlsCert: setting({
    read: optionalText(4096),
    byDefault: undefined,
    defaultIs: 'plain HTTP',
    about: 'A PEM file with the certificate chain. Needs STEWARD_TLS_KEY.',
  }),
  tlsKey: setting({
    read: optionalText(4096),
    byDefault: undefined,
    defaultIs: 'plain HTTP',
    about: 'A PEM file with the private key of the certificate.',
  }),
  data: setting({
    read: text(4096).read,
    byDefault: './data',
    about: 'The folder for all that is kept on this machine.',
  }),
  store: setting({
    read: readStore,
    byDefault: 'sqlite',
    isSecret: true,
    about:
      'Where everything is kept: sqlite in the data folder (one process), or postgres://… (any number of replicas).',
  }),
  storeConnections: setting({
    read: integer(2, 200).read,
    byDefault: 10,
    about: 'How many connections to PostgreSQL one replica opens at the most.',
  }),
  diskWatermarkMib: setting({
    read: integer(0, 1_048_576).read,
    byDefault: 256,
    about:
      'With less free disk than this in the data folder, nothing new is accepted: no folder, service, webhook or event.',
  }),
  masterKeyFile: setting({
    read: optionalText(4096),
    byDefault: undefined,
    defaultIs: '`master.key` in the data folder, made on the first start',
    about:
      'The file with the key that encrypts secrets at rest, in base64. Replicas share one. To change it, put the new key on a line before the old one and start: everything is encrypted anew.',
  }),
  adminPassword: setting<string | undefined>({
    read: (given) =>
      given.length >= 8 && given.length <= 256 ? valid(given) : invalid('must have 8 to 256 characters'),
    byDefault: undefined,
    defaultIs: 'generated, and shown once',
    isSecret: true,
    about: 'The password of the first administrator. Used on the first start only.',
  }),
  tokenMinutes: setting({
    read: integer(1, 527_040).read,
    byDefault: 60,
    about: 'How long a token lasts when its caller does not say.',
  }),
  tokenLongestMinutes: setting({
    read: integer(1, 527_040).read,
    byDefault: 20_160,
    about: 'How long a token may last at the most; longer wishes are shortened.',
  }),
  catalogNamespace: setting({
    read: text(500).read,
    byDefault: 'http://www.svc.example/schemas/Product/10.0',
    about: 'The namespace of the catalog schema.',
  }),
  catalogAlsoAccept: setting<readonly string[]>({
    read: readNamespaces,
    byDefault: [],
    defaultIs: 'none',
    about:
      'Namespaces of older or newer releases of the catalog schema, parted by commas. Who asks in one of them is answered in it.',
  }),
  catalogTokens: setting<'optional' | 'required'>({
    read: choice(['optional', 'required']).read,
    byDefault: 'optional',
    about: 'Whether the catalog needs a token. Where it is optional, a caller without one sees the public services.',
  }),
  catalogMessageVersion: setting<string>({
    read: choice(MESSAGE_VERSIONS).read,
    byDefault: 'svcProductVersion10',
    about: 'What GetMessageVersion answers.',
  }),
  catalogMessageFormats: setting<string>({
    read: choice(MESSAGE_FORMATS).read,
    byDefault: 'svcServiceCatalogMessageFormatSoap',
    about: 'What GetMessageFormats answers. The binary format is not served.',
  }),
  webhookAllow: setting<readonly string[]>({
    read: readNetworks,
    byDefault: [],
    defaultIs: 'none; loopback too where Steward itself listens on loopback only',
    about: 'Networks of receivers that are allowed although they are not public, such as 10.0.0.0/8.',
  }),
  webhookCa: setting({
    read: optionalText(4096),
    byDefault: undefined,
    defaultIs: 'the public ones only',
    about: 'A PEM file with certificate authorities that receivers may have besides the public ones.',
  }),
  webhookConcurrency: setting({
    read: integer(1, 10_000).read,
    byDefault: 512,
    about: 'How many deliveries one replica has under way at the most.',
  }),
  webhookConcurrencyEach: setting({
    read: integer(1, 1000).read,
    byDefault: 16,
    about: 'How many of them may go to one webhook: its own share, however slow it is.',
  }),
  webhookPace: setting({
    read: integer(1, 10_000).read,
    byDefault: 50,
    about: 'How many deliveries a second go to one webhook when held or failed ones are sent again.',
  }),
  webhookRetentionDays: setting({
    read: integer(1, 3650).read,
    byDefault: 30,
    about: 'How long deliveries and their attempts are kept after they ended.',
  }),
  deployment: setting<'none' | 'simulated' | undefined>({
    read: choice(['none', 'simulated']).read,
    byDefault: undefined,
    defaultIs: 'none; simulated with --demo',
    about: 'What is upgraded: none, or a simulated deployment to try and rehearse on.',
  }),
  upgradeParallel: setting({
    read: integer(1, 500).read,
    byDefault: 8,
    about: 'How many workloads an upgrade updates at once.',
  }),
  upgradeDeadlineSeconds: setting({
    read: integer(1, 86_400).read,
    byDefault: 1800,
    about: 'How long one step of an upgrade may take, such as the rollout of a workload.',
  }),
  manifestKey: setting({
    read: optionalText(4096),
    byDefault: undefined,
    defaultIs: 'none: manifests need not be signed',
    about: 'A PEM file with the public key that version manifests must be signed with (steward manifest keygen).',
  }),
  licenceKey: setting({
    read: optionalText(4096),
    byDefault: undefined,
    defaultIs: 'none: licences need not be signed',
    about: 'A PEM file with the public Ed25519 key that licences must be signed with.',
  }),
  demoReceiverPort: setting({
    read: integer(0, 65_535).read,
    byDefault: 6081,
    about: 'With --demo: the port of the demo receiver on loopback; 0 takes a free one.',
  }),
  logLevel: setting({
    read: choice(['debug', 'info', 'warn', 'error', 'silent']).read,
    byDefault: 'info',
    about: 'The least severe lines that are logged.',
  }),
  logFormat: setting<'auto' | 'json' | 'text'>({
    read: choice(['auto', 'json', 'text']).read,
    byDefault: 'auto',
    about: 'How log lines are written: text for people, json for machines; auto is text on a terminal.',
  }),
  demo: setting({
    read: boolean.read,
    byDefault: false,
    about:
      'Fills an empty catalog with services that are marked as demo, starts a demo receiver of webhooks, and simulates a deployment.',
  }),
} as const;

export type Settings = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

/** publicUrl → public-url */
export function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** publicUrl → STEWARD_PUBLIC_URL */
export function variableOf(key: string): string {
  return `STEWARD_${flagOf(key).replaceAll('-', '_').toUpperCase()}`;
}
