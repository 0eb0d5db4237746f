// The table of all settings. From a row come the flag of the local commands, the variable of the environment, the key in the
// configuration file, and the entry in docs/configuration.md. `configuration.ts` reads the values.

import type { FieldResult } from '../../wire/fields/fields.ts';
import { boolean, choice, integer, newPassword, text } from '../../wire/fields/fields.ts';
import { MESSAGE_FORMATS, MESSAGE_VERSIONS } from '../../wire/soap/catalogSchema.ts';
import * as readers from './settingReaders.ts';

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
  return optional(readers.readPath, defaultText);
}

export const SETTINGS = {
  host: setting(
    { read: readers.readHost, defaultValue: '127.0.0.1' },
    'The address to listen on. 0.0.0.0 is every IPv4 address of the machine.',
  ),
  port: setting(number(0, 65_535, 6080), 'The port to listen on. 0 chooses a free port.'),
  root: setting({ read: readers.readRoot, defaultValue: '/admin' }, 'The path prefix of the administrative interface.'),
  publicUrl: setting(
    optional(readers.readPublicUrl, 'the address of each request'),
    'The address that Steward publishes to clients, such as https://steward.example or https://host.example/steward. Set it if Steward is behind a proxy (docs/proxies.md).',
  ),
  trustedProxies: setting(
    list(readers.readNetworks, 'none'),
    'Networks of proxies whose X-Forwarded-For, -Host and -Proto headers are trusted, comma-separated.',
  ),
  connections: setting(
    number(16, 100_000, 4096),
    'The maximum number of open connections of one replica; a lower one if the limit of open files needs it. Beyond it, the idle connection that was opened first is closed; if none is idle, the new one gets 503.',
  ),
  drainSeconds: setting(
    number(0, 300, 0),
    'How long the server goes on answering after SIGTERM before it closes connections. During that time it is not ready, and each answer tells its client to close the connection. Set it to the time that a load balancer needs to notice.',
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
    list(readers.readOrigins, 'none'),
    'Origins of web pages that may call Steward from a browser, such as https://portal.example, comma-separated. They authenticate with a token, never with the session cookie.',
  ),
  tlsCert: setting(
    file('plain HTTP'),
    'A PEM file with the certificate chain. Needs STEWARD_TLS_KEY. Both files are read again when they change.',
  ),
  tlsKey: setting(file('plain HTTP'), 'A PEM file with the private key of the certificate.'),
  data: setting(
    { read: readers.readPath, defaultValue: './data' },
    'The folder for the data of Steward on this machine.',
  ),
  store: setting(
    { read: readers.readStore, defaultValue: 'sqlite', isSecret: true },
    'Where Steward stores its data: sqlite in the data folder (one process), or postgres://… (any number of replicas).',
  ),
  storeConnections: setting(
    number(2, 200, 10),
    'The maximum number of PostgreSQL connections of one replica, in addition to one that listens for changes.',
  ),
  diskWatermarkMib: setting(
    number(0, 1_048_576, 256),
    'The minimum of free disk space in the data folder. Below it, no new folder, service, webhook or event is accepted.',
  ),
  masterKeyFile: setting(
    file('`master.key` in the data folder, created with a new store'),
    'The file with the key that encrypts secrets at rest, in base64. All replicas use the same key. To change it, put the new key on a line before the old one and restart: all secrets are then encrypted with the new key.',
  ),
  adminPassword: setting(
    { ...optional(newPassword.read, 'generated, and shown once'), isSecret: true },
    'The password of the first administrator. Used on the first start only.',
  ),
  tokenMinutes: setting(number(1, 527_040, 60), 'The default lifetime of a token.'),
  tokenLongestMinutes: setting(
    number(1, 527_040, 20_160),
    'The maximum lifetime of a token. A longer requested time is shortened.',
  ),
  auditRetentionDays: setting(
    optional(integer(1, 36_500).read, 'all entries are kept'),
    'How many days entries of the audit log are kept. Older ones are removed, at the end of a day (UTC).',
  ),
  catalogNamespace: setting(
    { read: text(500).read, defaultValue: 'http://www.svc.example/schemas/Product/10.0' },
    'The namespace of the catalog schema.',
  ),
  catalogAlsoAccept: setting(
    list(readers.readNamespaces, 'none'),
    'Namespaces of older or newer releases of the catalog schema, comma-separated. A request in one of these namespaces is answered in the same one.',
  ),
  catalogTokens: setting(
    oneOf(['optional', 'required'], 'optional'),
    'Whether the catalog needs a token. If it is optional, a caller without a token sees only the public services.',
  ),
  catalogMessageVersion: setting(
    oneOf(MESSAGE_VERSIONS, 'svcProductVersion10'),
    'The value that GetMessageVersion returns.',
  ),
  catalogMessageFormats: setting(
    oneOf(MESSAGE_FORMATS, 'svcServiceCatalogMessageFormatSoap'),
    'The value that GetMessageFormats returns. The binary format is not served.',
  ),
  webhookAllow: setting(
    list(readers.readReceiverNetworks, 'none; this machine with --demo'),
    'Networks of webhook receivers that are allowed although they are not public, or are addresses of this machine, such as 10.0.0.0/8, or only a port of them, such as 10.0.0.0/8:443, comma-separated. 127.0.0.1 is this machine.',
  ),
  webhookCa: setting(
    file('public authorities only'),
    'A PEM file with additional certificate authorities for webhook receivers.',
  ),
  webhookConcurrency: setting(
    number(1, 10_000, 512),
    'The maximum number of deliveries that one replica sends at the same time.',
  ),
  webhookConcurrencyEach: setting(
    number(1, 1000, 16),
    'The maximum number of them for one webhook, so that a slow receiver does not delay the others.',
  ),
  webhookPace: setting(
    number(1, 10_000, 50),
    'The maximum number of deliveries per second to one webhook when held or failed deliveries are sent again.',
  ),
  webhookRetentionDays: setting(number(1, 3650, 30), 'How long ended deliveries and their attempts are kept.'),
  deployment: setting(
    optional(choice(['none', 'simulated', 'kubernetes']).read, 'none; simulated with --demo'),
    'The deployment that Steward upgrades: none, a simulated one for rehearsals, or a namespace of a Kubernetes cluster.',
  ),
  namespace: setting(
    optional(readers.readClusterNamespace, 'that of the pod, or of the context in the kubeconfig'),
    'With kubernetes: the namespace that Steward upgrades.',
  ),
  kubeconfig: setting(
    file('the service account of the pod; outside a pod $KUBECONFIG or ~/.kube/config'),
    'With kubernetes: the file that says how to reach the cluster.',
  ),
  selector: setting(
    { read: text(500).read, defaultValue: 'steward/upgrade=true' },
    'With kubernetes: the label selector of the workloads that Steward upgrades.',
  ),
  takeOverFrom: setting(
    list(readers.readNames, 'none'),
    'With kubernetes: managers that write an image once and do not put it back, by their field managers or by the names that the plan shows, such as Argo CD, comma-separated. Steward takes their image fields over.',
  ),
  imageRewrite: setting(
    { read: readers.readRewrites, defaultValue: [], defaultText: 'none' },
    'With kubernetes: prefixes of image names and what replaces them, such as registry.example/product=mirror.local:5000/product, comma-separated. For sites that copy the images to their own registry.',
  ),
  clusterKinds: setting(
    list(readers.readKinds, 'none'),
    'With kubernetes: the kinds outside namespaces that the objects of a version may have, such as CustomResourceDefinition,PriorityClass, comma-separated. A kind that Kubernetes itself does not have is written with its group: Widget.example.com.',
  ),
  registryCa: setting(
    file('public authorities only'),
    'With kubernetes: a PEM file with additional certificate authorities for image registries.',
  ),
  registryHttp: setting(
    list(readers.readRegistries, 'those on this machine'),
    'With kubernetes: registries that are asked over plain HTTP, such as mirror.local:5000, comma-separated.',
  ),
  database: setting(
    {
      read: readers.readDatabasePair,
      defaultValue: undefined,
      defaultText: 'none: releases leave the database as it is',
      isSecret: true,
    },
    'With kubernetes: the two PostgreSQL servers that Steward upgrades with a release, as name=address, comma-separated, such as a=postgres://admin@db-a/postgres,b=postgres://admin@db-b/postgres. Needs STEWARD_DATABASE_COMMAND.',
  ),
  databaseCommand: setting(file('none'), 'The program that stops, starts and copies these servers (docs/database.md).'),
  upgradeParallel: setting(number(1, 500, 8), 'How many workloads an upgrade updates at the same time.'),
  upgradeDeadlineSeconds: setting(
    number(1, 86_400, 1800),
    'The time limit of one step of an upgrade, such as the rollout of a workload.',
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
    'With --demo: the port of the demo receiver on loopback. 0 chooses a free port.',
  ),
  logLevel: setting(
    oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    'The lowest level of the log lines that are written.',
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

/** Returns the variable that names a file with the value of a secret setting: `store` → `STEWARD_STORE_FILE`. */
export function fileVariableOf(key: string): string {
  return `${variableOf(key)}_FILE`;
}
