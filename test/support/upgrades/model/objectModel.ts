// The objects in the random model of upgrades: what may happen to them, and what must be true of them when no job runs.
import fc from 'fast-check';
import type { NewFault } from '../../../../src/drivers/simulated/state/injectedFault.ts';
import type { Facts } from '../../../../src/upgrades/ports/upgradeStore.ts';
import { taskOf } from '../../../../src/upgrades/values/task.ts';
import { failedJob } from '../../../../src/upgrades/versions/currentVersion.ts';
import type { Version } from '../../../../src/model/version.ts';
import type { BundleName } from '../objects/objectVersions.ts';
import {
  BUNDLE_NAMES,
  DEFINITION_KIND,
  NEVER_REMOVED,
  bundleOf,
  checksumOfBundle,
  containersOf,
} from '../objects/objectVersions.ts';
import type { UpgradeServer } from '../upgradeServer.ts';
import { UPGRADES } from '../upgradeServer.ts';
import type { LiveObjects } from './objectOracle.ts';
import { changedObjects, objectsOf, wrongObjects } from './objectOracle.ts';

/** The bundle of a version. `missing`: the manifest names one that was not imported. */
type Bundle = BundleName | 'none' | 'missing';
export type Layout = readonly Bundle[];

export interface HandChange {
  readonly kind: 'changeObject';
  readonly at: readonly [object: string, field: string];
  readonly value: unknown;
  readonly by: { readonly name: string; readonly reconciles: boolean };
}

export type ObjectVerb =
  | { readonly kind: 'importObjects'; readonly version: number; readonly bundle: Bundle }
  | HandChange
  | { readonly kind: 'removeObject'; readonly object: string };

const MISSING = `sha256:${'0'.repeat(64)}`;
const FIELDS = [
  ['ConfigMap/settings', 'data.MODE'],
  ['ConfigMap/settings', 'data.OTHER'],
  ['ConfigMap/old', 'data.gone'],
  ['Secret/keys', 'data.TOKEN'],
  ['Deployment/worker', 'spec.template.spec.containers[app].env[MODE].value'],
  ['HorizontalPodAutoscaler/worker', 'spec.maxReplicas'],
] as const;
const REMOVABLE = ['ConfigMap/settings', 'Service/web', 'Deployment/worker', 'Deployment/reader'] as const;
const STRUCK = [...FIELDS.map(([object]) => object), 'Deployment/extra', 'Deployment/gone', 'Service/web'] as const;

export const layout: fc.Arbitrary<Layout> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom<Bundle>('none', 'missing') },
    { weight: 4, arbitrary: fc.constantFrom<Bundle>(...BUNDLE_NAMES) },
  ),
  { minLength: 5, maxLength: 5 },
);

export const handChange: fc.Arbitrary<HandChange> = fc.record({
  kind: fc.constant('changeObject'),
  at: fc.constantFrom(...FIELDS),
  value: fc.constantFrom<unknown>('by hand', undefined),
  by: fc.constantFrom({ name: 'kubectl', reconciles: false }, { name: 'gitops', reconciles: true }),
});

export const objectVerb: fc.Arbitrary<ObjectVerb> = fc.oneof(
  fc.record({
    kind: fc.constant('importObjects'),
    version: fc.nat({ max: 4 }),
    bundle: fc.constantFrom<Bundle>(...BUNDLE_NAMES, 'none', 'missing'),
  }),
  handChange,
  fc.record({ kind: fc.constant('removeObject'), object: fc.constantFrom(...REMOVABLE) }),
);

export const objectFault: fc.Arbitrary<NewFault> = fc.record({
  kind: fc.constantFrom('objectConflict', 'objectRefused', 'objectNeverReady', 'objectQuota', 'objectReverted', 'lag'),
  workload: fc.constantFrom(...STRUCK),
  times: fc.constantFrom(1, 2, undefined),
});

/** How things were when a job was accepted. */
interface Start {
  readonly live: LiveObjects;
  /** How many objects had been changed by hand. */
  readonly touched: number;
  /** The bundle that was in force, and that of a failed job which this one finishes. */
  readonly inForce: string | undefined;
  readonly ofFailed: string | undefined;
  readonly installed: Facts['installed'];
}

export interface PlayedObjects {
  /** The objects that were changed by hand, in their order. */
  readonly touched: string[];
  readonly claims: Set<string>;
  readonly starts: Map<string, Start>;
}

export function playedObjects(): PlayedObjects {
  return { touched: [], claims: new Set(), starts: new Map() };
}

function objectsField(bundle: Bundle): Pick<Version, 'objects'> {
  if (bundle === 'none') return {};
  return { objects: { checksum: bundle === 'missing' ? MISSING : checksumOfBundle(bundle) } };
}

async function importVersions(steward: UpgradeServer, versions: readonly Version[]): Promise<void> {
  const content = JSON.stringify(versions);
  await steward.postParts(`${UPGRADES}/importManifest`, [
    { name: 'versionManifestFile', content, fileName: 'manifest.json' },
  ]);
}

function withObjects(version: Version, bundle: Bundle): Version {
  const { objects: _, ...rest } = version;
  return { ...rest, containers: [...version.containers, ...containersOf(version.build)], ...objectsField(bundle) };
}

/** Imports the versions that can be installed with these bundles. Patches are cumulative, so all have the containers of the workloads. */
export async function importLayout(steward: UpgradeServer, bundles: Layout): Promise<void> {
  for (const name of BUNDLE_NAMES) await steward.store.upgrades.keepBundle(checksumOfBundle(name), bundleOf(name));
  await importVersions(
    steward,
    steward.versions.slice(1).map((one, n) => withObjects(one, bundles[n] ?? 'none')),
  );
}

export async function playObjects(steward: UpgradeServer, one: ObjectVerb, { touched }: PlayedObjects): Promise<void> {
  if (one.kind === 'importObjects') {
    const version = steward.versions[one.version + 1];
    if (version !== undefined) await importVersions(steward, [withObjects(version, one.bundle)]);
    return;
  }
  const object = one.kind === 'removeObject' ? one.object : one.at[0];
  if (!(await steward.simulated.liveObjects()).has(object)) return;
  touched.push(object);
  if (one.kind === 'removeObject') await steward.simulated.removeObject(object, { name: 'kubectl', reconciles: false });
  else await steward.simulated.changeObject(object, one.at[1], one.value, one.by);
}

/** Notes how things are before a request that may be accepted as a job. Returns what to call after it. */
export async function noteStart(steward: UpgradeServer, played: PlayedObjects): Promise<() => Promise<void>> {
  const facts = await steward.areas.upgrades.facts();
  const { installed, latest } = facts;
  // After `adopt`, a failed job counts no more.
  const failed = failedJob(facts);
  const start: Start = {
    live: await steward.simulated.liveObjects(),
    touched: played.touched.length,
    inForce: installed.at(-1)?.objects,
    ofFailed: failed && taskOf(failed).objects?.bundle?.checksum,
    installed,
  };
  return async () => {
    const { latest: now } = await steward.areas.upgrades.facts();
    if (now !== undefined && now.id !== latest?.id) played.starts.set(now.id, start);
  };
}

type Excuse = (object: string) => boolean;

/** The bundle that must be in force after a successful upgrade. */
function afterUpgrade({ installed, latest }: Facts, live: LiveObjects, start: Start, isExcused: Excuse) {
  const now = installed.at(-1)?.objects;
  const own = installed.flatMap(({ job, version }) =>
    job === latest?.id ? [version.objects?.checksum ?? []].flat() : [],
  );
  const expected = own.at(-1) ?? start.ofFailed ?? start.inForce;
  const versions = installed.map(({ version }) => version);
  const former = [start.inForce, start.ofFailed].flatMap((checksum) => [...objectsOf(checksum).keys()]);
  const wanted = objectsOf(now);
  const isLeft = (name: string): boolean =>
    live.has(name) && !wanted.has(name) && !NEVER_REMOVED.has(name) && !name.startsWith(DEFINITION_KIND);
  return [
    ...(expected === now ? [] : [`the bundle in force is ${now}, not ${expected}`]),
    ...wrongObjects(now, versions, live, isExcused),
    ...former.filter((name) => isLeft(name) && !isExcused(name)).map((name) => `${name} was not removed`),
  ];
}

function asBefore(live: LiveObjects, before: LiveObjects, isExcused: Excuse): readonly string[] {
  return changedObjects(before, live)
    .filter((name) => !isExcused(name) && !(NEVER_REMOVED.has(name) && !before.has(name)))
    .map(
      (name) => `${name} is not as before: ${JSON.stringify(live.get(name))}, not ${JSON.stringify(before.get(name))}`,
    );
}

/** After a rollback everything is as before the upgrade that it takes back, if that has installed one version. */
function afterRollback(facts: Facts, live: LiveObjects, rollback: Start, { starts, touched }: PlayedObjects) {
  const removed = rollback.installed.at(-1)?.job;
  const start = starts.get(removed ?? '');
  if (start === undefined || facts.installed.some(({ job }) => job === removed)) return [];
  const excused = new Set(touched.slice(start.touched));
  // A definition stays while objects of its kind exist.
  return asBefore(live, start.live, (name) => excused.has(name) || name.startsWith(DEFINITION_KIND));
}

/** What Steward says about objects and the deployment does not confirm. */
export async function objectContradictions(
  steward: UpgradeServer,
  facts: Facts,
  played: PlayedObjects,
): Promise<readonly string[]> {
  const live = await steward.simulated.liveObjects();
  const lost = [...played.claims].filter((name) => !live.has(name)).map((name) => `the claim ${name} has vanished`);
  for (const name of live.keys()) if (name.startsWith('PersistentVolumeClaim/')) played.claims.add(name);
  const { latest } = facts;
  const start = played.starts.get(latest?.id ?? '');
  if (latest === undefined || start === undefined) return lost;
  // A later adopt has said something else.
  if (facts.installed.at(-1)?.how === 'adopt' && start.installed.at(-1)?.seq !== facts.installed.at(-1)?.seq)
    return lost;
  const excused = new Set(played.touched.slice(start.touched));
  const isExcused: Excuse = (name) => excused.has(name);
  const ofJob = (): readonly string[] => {
    if (latest.state === 'undone') return asBefore(live, start.live, isExcused);
    if (latest.state !== 'succeeded') return [];
    return latest.kind === 'rollback'
      ? afterRollback(facts, live, start, played)
      : afterUpgrade(facts, live, start, isExcused);
  };
  return [...lost, ...ofJob().map((one) => `${latest.kind} ${latest.state}, but ${one}`)];
}
