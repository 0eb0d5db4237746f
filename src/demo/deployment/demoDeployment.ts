import { createHash } from 'node:crypto';
import type { SimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import type { Clock } from '../../foundation/clock.ts';
import { DAY } from '../../foundation/clock.ts';
import { localActor } from '../../model/actor.ts';
import type { Demo } from '../demoHandlers.ts';
import type { Upgrades } from '../../upgrades/upgrades.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import { HOOKS } from '../../model/hook.ts';
import type { Container } from '../../model/manifest/container.ts';
import type { Version } from '../../model/version.ts';

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

const WHOLE = PLACES.length;

/** As many as asked for: fewer are spread over all components, more are the same ones again with a number. */
function places(count: number): readonly Place[] {
  return Array.from({ length: count }, (_, n) => {
    const place = PLACES[count < WHOLE ? Math.floor((n * WHOLE) / count) : n % WHOLE] ?? PLACES[0];
    if (place === undefined) throw new Error('the demo has no workloads');
    return n < WHOLE ? place : { ...place, name: `${place.name}-${Math.floor(n / WHOLE) + 1}` };
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
  readonly about: string;
  readonly previous?: readonly [version: string, build: string];
  readonly needsLicence?: true;
  /** Of a patch: every so many workloads is touched. */
  readonly every?: number;
}

const VERSIONS: readonly DemoVersion[] = [
  { version: '10.9.1', build: '1800', released: Date.UTC(2025, 2, 11), about: 'what the fresh deployment runs' },
  { version: '10.9.1', build: '1842', released: Date.UTC(2025, 4, 20), about: 'fixes for 10.9.1', every: 4 },
  {
    version: '11.0',
    build: '2100',
    released: Date.UTC(2025, 8, 9),
    about: 'over any build of 10.9.1, with a new licence',
    previous: ['10.9.1', ''],
    needsLicence: true,
  },
  { version: '11.0', build: '2187', released: Date.UTC(2025, 10, 4), about: 'fixes for 11.0', every: 3 },
  {
    version: '11.1',
    build: '2400',
    released: Date.UTC(2026, 1, 17),
    about: 'over 11.0 with its patch 2187',
    previous: ['11.0', '2187'],
  },
];

function versionOf(demo: DemoVersion, names: readonly string[]): Version {
  const { version, build, released, about, previous = ['', ''], needsLicence = false, every } = demo;
  const isPatch = every !== undefined;
  const tag = isPatch ? `${version}.${build}` : version;
  return {
    id: `${isPatch ? 'pat' : 'rel'}_${tag}`,
    name: `Demo ${isPatch ? 'patch' : 'release'} ${tag}`,
    description: `Demo: ${about}. There is no such product.`,
    update: isPatch ? 'patch' : 'release',
    version,
    build,
    previousVersion: isPatch ? version : previous[0],
    previousBuild: previous[1],
    released,
    releaseNotes: '',
    newLicensesRequired: needsLicence,
    containers: names.filter((_, n) => n % (every ?? 1) === 0).map((name) => containerOf(name, tag)),
  };
}

const VOLUMES: Inventory['volumes'] = [
  { name: 'file-store', size: '200Gi', storageClass: 'standard' },
  { name: 'log-store', size: '100Gi', storageClass: 'standard' },
  { name: 'portal-content', size: '20Gi', storageClass: 'standard' },
  { name: 'search-index', size: '50Gi', storageClass: 'fast' },
];

/** A deployment of any number of workloads as it is at first, and the versions that there are for it. */
export function demoWorld(count = WHOLE): {
  readonly inventory: Inventory;
  readonly versions: readonly Version[];
} {
  const all = places(count);
  const names = all.map(({ name }) => name);
  const versions = VERSIONS.map((version) => versionOf(version, names));
  const first = new Map(versions[0]?.containers.map((container) => [container.name, container]));
  const workloads = all.map((place) => {
    const { image = '', checksum } = first.get(place.name) ?? {};
    const images = [{ container: place.name, image, checksum }];
    return { ...place, images, trouble: undefined, owner: undefined, expectedMs: undefined };
  });
  const instances = [
    { name: 'database-a', role: 'primary', isReadOnly: false, engine: '16' },
    { name: 'database-b', role: 'standby', isReadOnly: true, engine: '16' },
  ] as const;
  return {
    inventory: { workloads, volumes: VOLUMES, hooks: HOOKS, database: { instances, trouble: undefined } },
    versions,
  };
}

export function demoInventory(): Inventory {
  return demoWorld().inventory;
}

function demoLicence(now: number): object {
  return {
    product: 'Product',
    version: '11.0',
    expires: now + 30 * DAY,
    note: 'Demo: a licence for the simulated deployment. It is worth nothing anywhere else.',
  };
}

/** The verbs of the demo, with what the demo deployment is made of. */
export function createDemo(needs: {
  readonly deployment: SimulatedDeployment;
  readonly upgrades: Upgrades;
  readonly clock: Clock;
}): Demo {
  const { deployment, upgrades, clock } = needs;
  return {
    ...deployment,
    async fill(inventory) {
      await upgrades.mustBeIdle();
      await deployment.fill(inventory);
    },
    async reset() {
      await upgrades.mustBeIdle();
      await deployment.startOver(demoInventory());
      await adoptFirst(upgrades);
    },
    manifest: () => demoWorld().versions,
    licence: () => demoLicence(clock.now()),
  };
}

async function adoptFirst(upgrades: Upgrades): Promise<void> {
  const { versions } = demoWorld();
  await upgrades.adopt(localActor('demo'), versions[0]?.id ?? '', versions, { isDryRun: false, force: true });
}

/** One that holds anything is left alone, and so is a version that is known. */
export async function fillDemoDeployment(deployment: SimulatedDeployment, upgrades: Upgrades): Promise<void> {
  await deployment.fillIfEmpty(demoInventory());
  const { installed, latest } = await upgrades.facts();
  if (installed.length === 0 && latest === undefined) await adoptFirst(upgrades);
}
