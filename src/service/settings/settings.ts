// The table of all settings. From a row come the flag of the local commands, the variable of the environment, the key in the
// configuration file, and the entry in docs/configuration.md. `configuration.ts` reads the values.

import type { FieldResult } from '../../wire/operations/fields.ts';
import { boolean, choice, integer, invalid, text, valid } from '../../wire/operations/fields.ts';
import { MESSAGE_FORMATS, MESSAGE_VERSIONS } from '../../wire/soap/catalogSchema.ts';
import { readHost, readNamespaces, readNetworks, readOrigin, readRoot, readStore } from './settingReaders.ts';

export interface Setting<T = unknown> {
  readonly read: (text: string) => FieldResult<T>;
  readonly defaultValue: T;
  /** The default in words, if the value does not say it. */
  readonly defaultText?: string;
  readonly description: string;
  /** A secret is never printed, not even in an error. */
  readonly isSecret?: true;
}

function setting<T>(row: Setting<T>): Setting<T> {
  return row;
}

export const SETTINGS = {
  host: setting({
    read: readHost,
    defaultValue: '127.0.0.1',
    description: 'The address to listen on. 0.0.0.0 is every IPv4 address of the machine.',
  }),
  port: setting({
    read: integer(0, 65_535).read,
    defaultValue: 6080,
    description: 'The port to listen on; 0 takes a free one.',
  }),
  root: setting({
    read: readRoot,
    defaultValue: '/admin',
    description: 'The path below which the administrative interface answers.',
  }),
  publicUrl: setting<string | undefined>({
    read: readOrigin,
    defaultValue: undefined,
    defaultText: 'the address that each request used',
    description: 'The address that Steward hands out to clients. Set it behind a proxy.',
  }),
  trustedProxies: setting<readonly string[]>({
    read: readNetworks,
    defaultValue: [],
    defaultText: 'none',
    description: 'Networks of proxies whose X-Forwarded-For, -Host and -Proto headers are believed.',
  }),
  tlsCert: setting<string | undefined>({
    read: text(4096).read,
    defaultValue: undefined,
    defaultText: 'plain HTTP',
    description: 'A PEM file with the certificate chain. Needs STEWARD_TLS_KEY.',
  }),
  tlsKey: setting<string | undefined>({
    read: text(4096).read,
    defaultValue: undefined,
    defaultText: 'plain HTTP',
    description: 'A PEM file with the private key of the certificate.',
  }),
  data: setting({
    read: text(4096).read,
    defaultValue: './data',
    description: 'The folder for all that is kept on this machine.',
  }),
  store: setting({
    read: readStore,
    defaultValue: 'sqlite',
    isSecret: true,
    description:
      'Where everything is kept: sqlite in the data folder (one process), or postgres://… (any number of replicas).',
  }),
  storeConnections: setting({
    read: integer(2, 200).read,
    defaultValue: 10,
    description: 'How many connections to PostgreSQL one replica opens at the most.',
  }),
  diskWatermarkMib: setting({
    read: integer(0, 1_048_576).read,
    defaultValue: 256,
    description:
      'With less free disk than this in the data folder, nothing new is accepted: no folder, service, webhook or event.',
  }),
  masterKeyFile: setting<string | undefined>({
    read: text(4096).read,
    defaultValue: undefined,
    defaultText: '`master.key` in the data folder, made on the first start',
    description:
      'The file with the key that encrypts secrets at rest, in base64. Replicas share one. To change it, put the new key on a line before the old one and start: everything is encrypted anew.',
  }),
  adminPassword: setting<string | undefined>({
    read: (given) =>
      given.length >= 8 && given.length <= 256 ? valid(given) : invalid('must have 8 to 256 characters'),
    defaultValue: undefined,
    defaultText: 'generated, and shown once',
    isSecret: true,
    description: 'The password of the first administrator. Used on the first start only.',
  }),
  tokenMinutes: setting({
    read: integer(1, 527_040).read,
    defaultValue: 60,
    description: 'How long a token lasts when its caller does not say.',
  }),
  tokenLongestMinutes: setting({
    read: integer(1, 527_040).read,
    defaultValue: 20_160,
    description: 'How long a token may last at the most; longer wishes are shortened.',
  }),
  catalogNamespace: setting({
    read: text(500).read,
    defaultValue: 'http://www.svc.example/schemas/Product/10.0',
    description: 'The namespace of the catalog schema.',
  }),
  catalogAlsoAccept: setting<readonly string[]>({
    read: readNamespaces,
    defaultValue: [],
    defaultText: 'none',
    description:
      'Namespaces of older or newer releases of the catalog schema, parted by commas. Who asks in one of them is answered in it.',
  }),
  catalogTokens: setting<'optional' | 'required'>({
    read: choice(['optional', 'required']).read,
    defaultValue: 'optional',
    description:
      'Whether the catalog needs a token. Where it is optional, a caller without one sees the public services.',
  }),
  catalogMessageVersion: setting<string>({
    read: choice(MESSAGE_VERSIONS).read,
    defaultValue: 'svcProductVersion10',
    description: 'What GetMessageVersion answers.',
  }),
  catalogMessageFormats: setting<string>({
    read: choice(MESSAGE_FORMATS).read,
    defaultValue: 'svcServiceCatalogMessageFormatSoap',
    description: 'What GetMessageFormats answers. The binary format is not served.',
  }),
  webhookAllow: setting<readonly string[]>({
    read: readNetworks,
    defaultValue: [],
    defaultText: 'none; loopback too where Steward itself listens on loopback only',
    description: 'Networks of receivers that are allowed although they are not public, such as 10.0.0.0/8.',
  }),
  webhookCa: setting<string | undefined>({
    read: text(4096).read,
    defaultValue: undefined,
    defaultText: 'the public ones only',
    description: 'A PEM file with certificate authorities that receivers may have besides the public ones.',
  }),
  webhookConcurrency: setting({
    read: integer(1, 10_000).read,
    defaultValue: 512,
    description: 'How many deliveries one replica has under way at the most.',
  }),
  webhookConcurrencyEach: setting({
    read: integer(1, 1000).read,
    defaultValue: 16,
    description: 'How many of them may go to one webhook: its own share, however slow it is.',
  }),
  webhookPace: setting({
    read: integer(1, 10_000).read,
    defaultValue: 50,
    description: 'How many deliveries a second go to one webhook when held or failed ones are sent again.',
  }),
  webhookRetentionDays: setting({
    read: integer(1, 3650).read,
    defaultValue: 30,
    description: 'How long deliveries and their attempts are kept after they ended.',
  }),
  deployment: setting<'none' | 'simulated' | undefined>({
    read: choice(['none', 'simulated']).read,
    defaultValue: undefined,
    defaultText: 'none; simulated with --demo',
    description: 'What is upgraded: none, or a simulated deployment to try and rehearse on.',
  }),
  upgradeParallel: setting({
    read: integer(1, 500).read,
    defaultValue: 8,
    description: 'How many workloads an upgrade updates at once.',
  }),
  upgradeDeadlineSeconds: setting({
    read: integer(1, 86_400).read,
    defaultValue: 1800,
    description: 'How long one step of an upgrade may take, such as the rollout of a workload.',
  }),
  manifestKey: setting<string | undefined>({
    read: text(4096).read,
    defaultValue: undefined,
    defaultText: 'none: manifests need not be signed',
    description: 'A PEM file with the public key that version manifests must be signed with (steward manifest keygen).',
  }),
  licenceKey: setting<string | undefined>({
    read: text(4096).read,
    defaultValue: undefined,
    defaultText: 'none: licences need not be signed',
    description: 'A PEM file with the public Ed25519 key that licences must be signed with.',
  }),
  demoReceiverPort: setting({
    read: integer(0, 65_535).read,
    defaultValue: 6081,
    description: 'With --demo: the port of the demo receiver on loopback; 0 takes a free one.',
  }),
  logLevel: setting({
    read: choice(['debug', 'info', 'warn', 'error', 'silent']).read,
    defaultValue: 'info',
    description: 'The least severe lines that are logged.',
  }),
  logFormat: setting<'auto' | 'json' | 'text'>({
    read: choice(['auto', 'json', 'text']).read,
    defaultValue: 'auto',
    description: 'How log lines are written: text for people, json for machines; auto is text on a terminal.',
  }),
  demo: setting({
    read: boolean.read,
    defaultValue: false,
    description:
      'Fills an empty catalog with services that are marked as demo, starts a demo receiver of webhooks, and simulates a deployment.',
  }),
} as const;

export type Settings = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

/** Returns the flag of a setting: `publicUrl` → `public-url`. */
export function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the variable of a setting: `publicUrl` → `STEWARD_PUBLIC_URL`. */
export function variableOf(key: string): string {
  return `STEWARD_${flagOf(key).replaceAll('-', '_').toUpperCase()}`;
}
