// The made-up product of the demo: its workloads, its versions and a licence. Everything is computed from a few tables,
// for any number of workloads.
import { createHash } from 'node:crypto';
import { DAY } from '../../foundation/clock.ts';
import { HOOKS } from '../../model/hook.ts';
import { OBJECTS_FEATURE } from '../../model/manifest/features.ts';
import { bundleChecksum } from '../../model/objects/bundleText.ts';
import type { Container } from '../../model/version/container.ts';
import type { Version } from '../../model/version.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import { NEW_WORKLOAD, demoBundles } from './demoObjects.ts';

type Group = readonly [component: string, module: string, wave: number, workloads: readonly string[]];

/** 48 workloads, in 8 components, 12 modules and 5 waves. */
const GROUPS: readonly Group[] = [
  [
    'data-store',
    'storage',
    10,
    ['object-store', 'file-store', 'metadata-store', 'cache', 'backup-agent', 'migration-runner'],
  ],
  ['messaging', 'messaging', 10, ['broker', 'event-bus', 'scheduler', 'notifier', 'mailer', 'queue-worker']],
  ['search', 'search', 20, ['search-index', 'search-query', 'search-crawler', 'search-suggest']],
  [
    'logging',
    'observability',
    20,
    ['log-collector', 'log-store', 'metrics-store', 'metrics-gateway', 'trace-collector', 'alert-router'],
  ],
  ['services', 'identity', 30, ['identity', 'sessions', 'permissions']],
  ['services', 'catalog', 30, ['service-directory', 'service-runner', 'auto-deployer']],
  ['services', 'documents', 30, ['documents', 'previews', 'converter']],
  ['analytics', 'reports', 30, ['report-engine', 'report-scheduler', 'report-archive']],
  ['analytics', 'insight', 30, ['insight-engine', 'insight-loader', 'insight-cache']],
  ['portal', 'portal', 40, ['portal-web', 'portal-api', 'portal-content', 'portal-themes', 'portal-help']],
  ['portal', 'administration', 40, ['admin-web', 'admin-api']],
  ['gateway', 'gateway', 50, ['gateway-edge', 'gateway-router', 'gateway-limits', 'gateway-certificates']],
];

type Place = Pick<Workload, 'name' | 'component' | 'module' | 'wave'>;

const PLACES: readonly Place[] = GROUPS.flatMap(([component, module, wave, names]) =>
  names.map((name) => ({ name, component, module, wave })),
);

const PLACE_COUNT = PLACES.length;

/** Fewer workloads than the table has are spread over all components; more are repeated with a number. */
function places(count: number): readonly Place[] {
  return Array.from({ length: count }, (_, n) => {
    const place = PLACES[count < PLACE_COUNT ? Math.floor((n * PLACE_COUNT) / count) : n % PLACE_COUNT] ?? PLACES[0];
    if (place === undefined) throw new Error('the demo has no workloads');
    return n < PLACE_COUNT ? place : { ...place, name: `${place.name}-${Math.floor(n / PLACE_COUNT) + 1}` };
  });
}

function containerOf(name: string, tag: string): Container {
  const checksum = `sha256:${createHash('sha256').update(`${name} ${tag}`).digest('hex')}`;
  return { name, checksum, image: `registry.demo.invalid/product/${name}:${tag}@${checksum}` };
}

interface DemoVersion {
  readonly version: string;
  readonly build: string;
  readonly released: number;
  readonly summary: string;
  readonly previous?: readonly [version: string, build: string];
  readonly needsLicence?: true;
  /** Set for a patch: it changes every n-th workload. */
  readonly every?: number;
  readonly objects?: 'first' | 'next';
}

const VERSIONS: readonly DemoVersion[] = [
  { version: '10.9.1', build: '1800', released: Date.UTC(2025, 2, 11), summary: 'what the fresh deployment runs' },
  { version: '10.9.1', build: '1842', released: Date.UTC(2025, 4, 20), summary: 'fixes for 10.9.1', every: 4 },
  {
    version: '11.0',
    build: '2100',
    released: Date.UTC(2025, 8, 9),
    summary: 'over any build of 10.9.1, with a new licence',
    previous: ['10.9.1', ''],
    needsLicence: true,
    objects: 'first',
  },
  { version: '11.0', build: '2187', released: Date.UTC(2025, 10, 4), summary: 'fixes for 11.0', every: 3 },
  {
    version: '11.1',
    build: '2400',
    released: Date.UTC(2026, 1, 17),
    summary: 'over 11.0 with its patch 2187',
    previous: ['11.0', '2187'],
    objects: 'next',
  },
];

function tagOf({ version, build, every }: DemoVersion): string {
  return every === undefined ? version : `${version}.${build}`;
}

function bundleOf(demo: DemoVersion): Buffer | undefined {
  return demo.objects && demoBundles((name) => containerOf(name, tagOf(demo)).image)[demo.objects];
}

function versionOf(demo: DemoVersion, names: readonly string[], bundle: Buffer | undefined): Version {
  const { version, build, released, summary, previous = ['', ''], needsLicence = false, every } = demo;
  const isPatch = every !== undefined;
  const tag = tagOf(demo);
  const added = bundle && demo.objects === 'next' ? [containerOf(NEW_WORKLOAD, tag)] : [];
  return {
    id: `${isPatch ? 'pat' : 'rel'}_${tag}`,
    name: `Demo ${isPatch ? 'patch' : 'release'} ${tag}`,
    description: `Demo: ${summary}. There is no such product.`,
    update: isPatch ? 'patch' : 'release',
    version,
    build,
    previousVersion: isPatch ? version : previous[0],
    previousBuild: previous[1],
    released,
    releaseNotes: '',
    newLicensesRequired: needsLicence,
    containers: [...names.filter((_, n) => n % (every ?? 1) === 0).map((name) => containerOf(name, tag)), ...added],
    ...(bundle && { objects: { checksum: bundleChecksum(bundle) }, requires: [OBJECTS_FEATURE] }),
  };
}

const VOLUMES: Inventory['volumes'] = [
  { name: 'file-store', size: '200Gi', storageClass: 'standard' },
  { name: 'log-store', size: '100Gi', storageClass: 'standard' },
  { name: 'portal-content', size: '20Gi', storageClass: 'standard' },
  { name: 'search-index', size: '50Gi', storageClass: 'fast' },
];

interface DemoProduct {
  readonly inventory: Inventory;
  readonly versions: readonly Version[];
  /** The files with the objects of the versions. */
  readonly bundles: readonly Buffer[];
}

/** Returns a fresh deployment with `count` workloads, and its versions, which change images only unless they have objects. */
export function demoProduct(count = PLACE_COUNT, { hasObjects = false } = {}): DemoProduct {
  const all = places(count);
  const names = all.map(({ name }) => name);
  const made = VERSIONS.map((version) => ({ version, bundle: hasObjects ? bundleOf(version) : undefined }));
  const versions = made.map(({ version, bundle }) => versionOf(version, names, bundle));
  const first = new Map(versions[0]?.containers.map((container) => [container.name, container]));
  const workloads = all.map((place) => {
    const { image = '', checksum } = first.get(place.name) ?? {};
    const images = [{ container: place.name, image, checksum }];
    return {
      ...place,
      images,
      trouble: undefined,
      blocked: undefined,
      managers: [],
      isSteward: false,
      expectedMs: undefined,
    };
  });
  const instances = [
    { name: 'database-a', role: 'primary', isReadOnly: false, engine: '16' },
    { name: 'database-b', role: 'standby', isReadOnly: true, engine: '16' },
  ] as const;
  return {
    inventory: { workloads, volumes: VOLUMES, hooks: HOOKS, database: { instances, trouble: undefined } },
    versions,
    bundles: made.flatMap(({ bundle }) => bundle ?? []),
  };
}

export function demoInventory(): Inventory {
  return demoProduct().inventory;
}

export function demoLicence(now: number) {
  return {
    product: 'Product',
    version: '11.0',
    expires: now + 30 * DAY,
    note: 'Demo: a licence for the simulated deployment. It is not valid anywhere else.',
  };
}
