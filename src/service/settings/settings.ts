// The table of all settings. From a row come the flag of the local commands, the variable of the environment, the key in the
// configuration file, and the entry in docs/configuration.md. `configuration.ts` reads the values.

import type { FieldResult } from '../../wire/operations/fields.ts';
import { boolean, choice, integer, newPassword, text } from '../../wire/operations/fields.ts';
import { MESSAGE_FORMATS, MESSAGE_VERSIONS } from '../../wire/soap/catalogSchema.ts';
import {
  readHost,
  readNamespaces,
  readNetworks,
  readOrigin,
  readOrigins,
  readRoot,
  readStore,
} from './settingReaders.ts';

export interface Setting<T = unknown> {
  readonly read: (text: string) => FieldResult<T>;
  readonly defaultValue: T;
  /** The default in words, if the value does not say it. */
  readonly defaultText?: string;
  readonly description: string;
  /** A secret is never printed, not even in an error. */
  readonly isSecret?: true;
}

/** All of a row except its description. */
type Kind<T> = Omit<Setting<T>, 'description'>;
type Read<T> = Setting<T>['read'];

function setting<T>(kind: Kind<T>, description: string): Setting<T> {
  return { ...kind, description };
}

function number(min: number, max: number, defaultValue: number): Kind<number> {
  return { read: integer(min, max).read, defaultValue };
}

function oneOf<const C extends string>(choices: readonly C[], defaultValue: C): Kind<C> {
  return { read: choice(choices).read, defaultValue };
}

function list(read: Read<readonly string[]>, defaultText: string): Kind<readonly string[]> {
  return { read, defaultValue: [], defaultText };
}

function optional<T>(read: Read<T>, defaultText: string): Kind<T | undefined> {
  return { read, defaultValue: undefined, defaultText };
}

function file(defaultText: string): Kind<string | undefined> {
  return optional(text(4096).read, defaultText);
}

export const SETTINGS = {
  host: setting(
    { read: readHost, defaultValue: '127.0.0.1' },
    'The address to listen on. 0.0.0.0 is every IPv4 address of the machine.',
  ),
  port: setting(number(0, 65_535, 6080), 'The port to listen on; 0 takes a free one.'),
  root: setting(
    { read: readRoot, defaultValue: '/admin' },
    'The path below which the administrative interface answers.',
  ),
  publicUrl: setting(
    optional(readOrigin, 'the address that each request used'),
    'The address that Steward hands out to clients. Set it behind a proxy.',
  ),
  trustedProxies: setting(
    list(readNetworks, 'none'),
    'Networks of proxies whose X-Forwarded-For, -Host and -Proto headers are believed.',
  ),
  connections: setting(
    number(16, 100_000, 4096),
    'How many connections one replica keeps open. Beyond that, the idle connection that was opened first is closed; if none is idle, the new one gets 503.',
  ),
  compat: setting(
    oneOf(['on', 'off'], 'on'),
    'Whether /compat is served, for clients of older descriptions. off removes all addresses below it.',
  ),
  aliases: setting(
    oneOf(['on', 'off'], 'on'),
    'Whether the four addresses without STEWARD_ROOT are served: /services/webhooks/settings, /system/upgrades, /system/upgrades/upgrade and /system/upgrades/getUpgradeSettings.',
  ),
  corsOrigins: setting(
    list(readOrigins, 'none'),
    'Origins of web pages that may call Steward from a browser, such as https://portal.example, separated by commas. They authenticate with a token, never with the session cookie.',
  ),
  tlsCert: setting(file('plain HTTP'), 'A PEM file with the certificate chain. Needs STEWARD_TLS_KEY.'),
  tlsKey: setting(file('plain HTTP'), 'A PEM file with the private key of the certificate.'),
  data: setting({ read: text(4096).read, defaultValue: './data' }, 'The folder for all that is kept on this machine.'),
  store: setting(
    { read: readStore, defaultValue: 'sqlite', isSecret: true },
    'Where everything is kept: sqlite in the data folder (one process), or postgres://… (any number of replicas).',
  ),
  storeConnections: setting(
    number(2, 200, 10),
    'How many connections to PostgreSQL one replica opens at the most, besides one on which it listens for changes.',
  ),
  diskWatermarkMib: setting(
    number(0, 1_048_576, 256),
    'With less free disk than this in the data folder, nothing new is accepted: no folder, service, webhook or event.',
  ),
  masterKeyFile: setting(
    file('`master.key` in the data folder, made on the first start'),
    'The file with the key that encrypts secrets at rest, in base64. Replicas share one. To change it, put the new key on a line before the old one and start: everything is encrypted anew.',
  ),
  adminPassword: setting(
    { ...optional(newPassword.read, 'generated, and shown once'), isSecret: true },
    'The password of the first administrator. Used on the first start only.',
  ),
  tokenMinutes: setting(number(1, 527_040, 60), 'How long a token lasts when its caller does not say.'),
  tokenLongestMinutes: setting(
    number(1, 527_040, 20_160),
    'How long a token may last at the most; longer wishes are shortened.',
  ),
  catalogNamespace: setting(
    { read: text(500).read, defaultValue: 'http://www.svc.example/schemas/Product/10.0' },
    'The namespace of the catalog schema.',
  ),
  catalogAlsoAccept: setting(
    list(readNamespaces, 'none'),
    'Namespaces of older or newer releases of the catalog schema, parted by commas. Who asks in one of them is answered in it.',
  ),
  catalogTokens: setting(
    oneOf(['optional', 'required'], 'optional'),
    'Whether the catalog needs a token. Where it is optional, a caller without one sees the public services.',
  ),
  catalogMessageVersion: setting(oneOf(MESSAGE_VERSIONS, 'svcProductVersion10'), 'What GetMessageVersion answers.'),
  catalogMessageFormats: setting(
    oneOf(MESSAGE_FORMATS, 'svcServiceCatalogMessageFormatSoap'),
    'What GetMessageFormats answers. The binary format is not served.',
  ),
  webhookAllow: setting(
    list(readNetworks, 'none; this machine with --demo'),
    'Networks of receivers that are allowed although they are not public, such as 10.0.0.0/8. 127.0.0.1 is this machine.',
  ),
  webhookCa: setting(
    file('the public ones only'),
    'A PEM file with certificate authorities that receivers may have besides the public ones.',
  ),
  webhookConcurrency: setting(number(1, 10_000, 512), 'How many deliveries one replica has under way at the most.'),
  webhookConcurrencyEach: setting(
    number(1, 1000, 16),
    'How many of them may go to one webhook: its own share, however slow it is.',
  ),
  webhookPace: setting(
    number(1, 10_000, 50),
    'How many deliveries a second go to one webhook when held or failed ones are sent again.',
  ),
  webhookRetentionDays: setting(
    number(1, 3650, 30),
    'How long deliveries and their attempts are kept after they ended.',
  ),
  deployment: setting(
    optional(choice(['none', 'simulated']).read, 'none; simulated with --demo'),
    'What is upgraded: none, or a simulated deployment to try and rehearse on.',
  ),
  upgradeParallel: setting(number(1, 500, 8), 'How many workloads an upgrade updates at once.'),
  upgradeDeadlineSeconds: setting(
    number(1, 86_400, 1800),
    'How long one step of an upgrade may take, such as the rollout of a workload.',
  ),
  manifestKey: setting(
    file('none: manifests need not be signed'),
    'A PEM file with the public key that version manifests must be signed with (steward manifest keygen).',
  ),
  licenceKey: setting(
    file('none: licences need not be signed'),
    'A PEM file with the public Ed25519 key that licences must be signed with.',
  ),
  demoReceiverPort: setting(
    number(0, 65_535, 6081),
    'With --demo: the port of the demo receiver on loopback; 0 takes a free one.',
  ),
  logLevel: setting(
    oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    'The least severe lines that are logged.',
  ),
  logFormat: setting(
    oneOf(['auto', 'json', 'text'], 'auto'),
    'How log lines are written: text for people, json for machines; auto is text on a terminal.',
  ),
  demo: setting(
    { read: boolean.read, defaultValue: false },
    'Fills an empty catalog with services that are marked as demo, starts a demo receiver of webhooks, and simulates a deployment.',
  ),
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
