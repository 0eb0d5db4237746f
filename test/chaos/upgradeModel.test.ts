// Plays random sequences of requests, faults and restarts against the simulated deployment, and compares what Steward
// says with what the deployment is. A sequence that fails is printed with the seed that repeats it.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { isActive } from '../../src/model/jobState.ts';
import type { NewFault } from '../../src/drivers/simulated/state/injectedFault.ts';
import { imagesOf, isSameImages } from '../../src/upgrades/versions/images.ts';
import type { AfterFailure } from '../../src/model/mode.ts';
import { acceptsWrites } from '../../src/model/workload.ts';
import { failedJob } from '../../src/upgrades/versions/currentVersion.ts';
import type { Facts } from '../../src/upgrades/ports/upgradeStore.ts';
import type { Version } from '../../src/model/version.ts';
import type { HandChange, ObjectVerb, PlayedObjects } from '../support/upgrades/model/objectModel.ts';
import {
  handChange,
  importLayout,
  layout,
  noteStart,
  objectContradictions,
  objectFault,
  objectVerb,
  playObjects,
  playedObjects,
} from '../support/upgrades/model/objectModel.ts';
import { upgradeAsPlanned } from '../support/upgrades/model/upgradeAsPlanned.ts';
import { DEFINITION_KIND } from '../support/upgrades/objects/objectVersions.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';

const RUNS = IS_SOAK ? 1500 : 12;
const VERSIONS = ['pat_10.9.1.1842', 'pat_10.9.1.1900', 'rel_11.0', 'pat_11.0.2187', 'rel_11.1'] as const;
const PHASES = ['readOnly', 'promote', 'engine', 'afterEngine', 'readWrite', 'roles', 'standby', 'restore'] as const;
const HOOKS = ['backup', 'portal-content', 'logging', 'search-indices'] as const;
/** What is wrong with a manifest: containers that are mistyped, not deployed, left out or ambiguous, or a patch that lacks those of another. */
const CHANGES = ['mistyped', 'extra', 'missing', 'ambiguous', 'skipping', 'none'] as const;
const WORKLOADS = ['object-store', 'report-scheduler'] as const;

type Verb =
  | { readonly kind: 'rollback' | 'adopt' | 'adoptByForce'; readonly id: (typeof VERSIONS)[number] }
  | {
      readonly kind: 'upgrade';
      readonly id: (typeof VERSIONS)[number];
      readonly afterFailure: AfterFailure | undefined;
    }
  | ObjectVerb
  /** A plan, and an upgrade with its hash. */
  | {
      readonly kind: 'planned';
      readonly id: (typeof VERSIONS)[number];
      readonly hand: HandChange | undefined;
    }
  | { readonly kind: 'open' | 'openByForce' }
  | { readonly kind: 'retry' | 'cancel' | 'pause' | 'resume' | 'repair' | 'restart' | 'end' }
  | { readonly kind: 'fault'; readonly fault: NewFault }
  | { readonly kind: 'revert'; readonly workload: (typeof WORKLOADS)[number] }
  | { readonly kind: 'pass'; readonly ms: number }
  /** The versions of a manifest are imported with other containers. */
  | { readonly kind: 'import'; readonly id: (typeof VERSIONS)[number]; readonly change: (typeof CHANGES)[number] };

/** Fits every version. */
const LICENCE = JSON.stringify({ product: 'Product' });

const version = fc.constantFrom(...VERSIONS);
const workload = fc.constantFrom(...WORKLOADS);
const times = fc.constantFrom(1, 2, undefined);
const afterFailure = fc.constantFrom<AfterFailure | undefined>('open', 'readOnly', undefined);
const fault: fc.Arbitrary<NewFault> = fc.oneof(
  fc.record({ kind: fc.constantFrom('crashLoop', 'slow', 'putBack', 'nodeLost', 'heals', 'lag'), workload, times }),
  fc.record({ kind: fc.constant('databaseDown'), phase: fc.constantFrom(...PHASES), times }),
  fc.record({ kind: fc.constant('hookFails'), hook: fc.constantFrom(...HOOKS), times }),
  fc.record({ kind: fc.constant('apiErrors'), seconds: fc.constantFrom(3, 90) }),
  fc.record({ kind: fc.constant('forbidden') }),
  objectFault,
);
const verb: fc.Arbitrary<Verb> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upgrade'), id: version, afterFailure }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('planned'),
      id: version,
      hand: fc.option(handChange, { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: objectVerb },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('open', 'openByForce') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rollback', 'adopt', 'adoptByForce'), id: version }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('retry', 'cancel', 'pause', 'resume', 'repair', 'restart') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fault'), fault }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revert'), workload }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('import'), id: version, change: fc.constantFrom(...CHANGES) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 100, max: 5000 }) }) },
);

/** Some sequences begin without objects, as before there were any. */
const layouts = fc.option(layout, { freq: 4, nil: undefined });

const servers = sharedServers();
afterAll(() => servers.close());

interface Played {
  readonly objects: PlayedObjects;
  /** Whether a person has recorded a wrong version on purpose: the version that Steward says cannot be compared after that. */
  isForced: boolean;
  /** The job that was the latest when another tool changed an image. A later job that succeeds has replaced or refused it. */
  revertedIn?: { readonly job: string | undefined };
  /** The job that had ended when another tool changed the image of a workload: it cannot have reported that. */
  readonly revertedAfter: Map<string, string>;
  /** What the request of the latest job said, and whether a person has opened the system since. */
  afterFailure?: AfterFailure | undefined;
  isOpened?: boolean;
  isForcedOpen?: boolean;
}

/** A person opens the system. Without force that is refused while no database instance accepts writes. */
async function open(steward: UpgradeServer, force: boolean, played: Played): Promise<void> {
  const isUnknown = await steward.simulated.inventory().then(
    () => false,
    () => true,
  );
  const { status } = await steward.post('/admin/mode', { isReadOnly: 'false', force: String(force) });
  if (status !== 200) return;
  played.isOpened = true;
  if (force || isUnknown) played.isForcedOpen = true;
}

function changed({ containers, ...rest }: Version, change: (typeof CHANGES)[number]): readonly object[] {
  const [first, ...others] = containers;
  if (first === undefined) throw new Error('the version has no container');
  const extra = { ...first, name: 'not-deployed/app' };
  if (change === 'mistyped') return [{ ...rest, containers: [{ ...first, name: `${first.name}s` }, ...others] }];
  if (change === 'extra') return [{ ...rest, containers: [...containers, extra] }];
  if (change === 'missing') return [{ ...rest, containers: others.length === 0 ? containers : others }];
  if (change === 'ambiguous') return [{ ...rest, containers: [...containers, extra, { ...extra, name: 'app' }] }];
  if (change === 'none') return [{ ...rest, containers }];
  const build = String(Number(rest.build) + 1);
  return [
    { ...rest, containers },
    { ...rest, id: `${rest.id}-more`, build, containers: [extra] },
  ];
}

async function importChanged(steward: UpgradeServer, { id, change }: Extract<Verb, { kind: 'import' }>): Promise<void> {
  const found = steward.versions.find((one) => one.id === id);
  if (found === undefined) return;
  const content = JSON.stringify(changed(found, change));
  await steward.postParts('/admin/system/upgrades/importManifest', [
    { name: 'versionManifestFile', content, fileName: 'manifest.json' },
  ]);
}

async function play(steward: UpgradeServer, one: Verb, played: Played): Promise<void> {
  const noted = await noteStart(steward, played.objects);
  await playVerb(steward, one, played);
  await noted();
}

async function playVerb(steward: UpgradeServer, one: Verb, played: Played): Promise<void> {
  const root = '/admin/system/upgrades';
  const { latest } = await steward.areas.upgrades.facts();
  if (one.kind === 'importObjects' || one.kind === 'changeObject' || one.kind === 'removeObject') {
    await playObjects(steward, one, played.objects);
    if (one.kind === 'removeObject') noteReverted(played, `${one.object}/app`, latest);
  } else if (one.kind === 'planned') {
    const parts = [
      { name: 'versionManifest', content: one.id },
      { name: 'upgradeSettings', content: '{}' },
      { name: 'licenseFile', content: LICENCE, fileName: 'licence.json' },
    ];
    const status = await upgradeAsPlanned(steward, parts, one.hand, played.objects);
    if (status === 200) begun(played, undefined, (await steward.areas.upgrades.facts()).latest?.id !== latest?.id);
  } else if (one.kind === 'upgrade') {
    const chosen = one.afterFailure === undefined ? {} : { afterFailure: one.afterFailure };
    const fields = { versionManifest: one.id, upgradeSettings: '{}', ...chosen };
    const parts = Object.entries(fields).map(([name, content]) => ({ name, content }));
    const { status } = await steward.postParts(`${root}/upgrade`, [
      ...parts,
      { name: 'licenseFile', content: LICENCE, fileName: 'licence.json' },
    ]);
    if (status === 200)
      begun(played, one.afterFailure, (await steward.areas.upgrades.facts()).latest?.id !== latest?.id);
  } else if (one.kind === 'rollback') {
    const { status } = await steward.post(`${root}/rollback`, { versionManifest: one.id });
    if (status === 200) begun(played, undefined, true);
  } else if (one.kind === 'adopt') await steward.post(`${root}/adopt`, { versionManifest: one.id });
  else if (one.kind === 'adoptByForce') {
    const { status } = await steward.post(`${root}/adopt`, { versionManifest: one.id, force: 'true' });
    played.isForced ||= status === 200;
  } else if (one.kind === 'fault') await steward.simulated.addFault(one.fault);
  else if (one.kind === 'revert') {
    await steward.simulated.revert(one.workload);
    noteReverted(played, one.workload, latest);
  } else if (one.kind === 'repair') await steward.simulated.removeFaults(undefined);
  else if (one.kind === 'restart') await steward.restartRunner();
  else if (one.kind === 'pass') await steward.pass(one.ms);
  else if (one.kind === 'import') await importChanged(steward, one);
  else if (one.kind === 'end') await steward.until(({ state }) => state !== 'in_progress' && state !== 'rolling_back');
  else if (one.kind === 'open' || one.kind === 'openByForce') await open(steward, one.kind === 'openByForce', played);
  else if (latest !== undefined) {
    const { status } = await steward.post(`/admin/system/jobs/${latest.id}/${one.kind}`);
    if (status === 200 && one.kind === 'retry') begun(played, undefined, false);
  }
}

/** Another tool has changed what a workload runs, or removed it. */
function noteReverted(played: Played, container: string, latest: Facts['latest']): void {
  played.revertedIn = { job: latest?.id };
  if (latest !== undefined && !isActive(latest.state)) played.revertedAfter.set(container, latest.id);
}

/** A retry without the field keeps what the request before it had. */
function begun(played: Played, chosen: AfterFailure | undefined, isNew: boolean): void {
  if (isNew || chosen !== undefined) played.afterFailure = chosen;
  played.isOpened = false;
}

/** The containers of the installed version that do not run its image, and of which neither job, history nor drift speak. */
async function silentOmissions(
  steward: UpgradeServer,
  { installed, latest }: Facts,
  { revertedAfter }: Played,
): Promise<readonly string[]> {
  if (latest?.state !== 'succeeded' || installed.at(-1)?.job !== latest.id) return [];
  const { workloads } = await steward.simulated.view();
  const line = installed.slice(
    Math.max(
      0,
      installed.findLastIndex(({ version: { update } }) => update === 'release'),
    ),
  );
  // The workloads of objects are named with their kind, those of the demo like their only container.
  const deployed = new Map(
    workloads.flatMap(({ name, images }) =>
      images.map((one) => [name.includes('/') ? `${name}/${one.container}` : one.container, one.checksum]),
    ),
  );
  const wanted = new Map(
    line.flatMap(({ version: { containers } }) => containers.map((one) => [one.name, one.checksum])),
  );
  // The first version of the demo names every container.
  const wrong = [...new Set([...wanted.keys(), ...deployed.keys()])].filter(
    (name) => deployed.get(name) === undefined || deployed.get(name) !== wanted.get(name),
  );
  await steward.pass(2000);
  const { updates } = await steward.must('/admin/system/upgrades/history');
  const { incomplete: job = [] } = await steward.must(`/admin/system/jobs/${latest.id}`);
  const { drift } = await steward.must('/admin/system/overview');
  const isSaid = (list: readonly string[], name: string): boolean => list.some((one) => one.includes(name));
  return wrong.flatMap((name) => {
    const ofJob = revertedAfter.get(name) === latest.id ? {} : { job, history: updates[0].incomplete ?? [] };
    // Drift is null while the deployment does not answer.
    const silent = Object.entries({ ...ofJob, ...(drift !== null && { drift }) }).filter(
      ([, list]) => !isSaid(list, name),
    );
    return silent.map(([where]) => `${where} does not say that ${name} does not run its image`);
  });
}

/** What Steward says and the deployment does not confirm. Compared only while no job runs. */
async function contradictions(steward: UpgradeServer, played: Played): Promise<readonly string[]> {
  const facts = await steward.areas.upgrades.facts();
  const state = facts.latest?.state;
  if (state === 'running' || state === 'undoing' || state === 'paused') return [];
  const { workloads, database } = await steward.simulated.view();
  const { isReadOnly } = await steward.must('/admin/mode');
  // A deployment that does not answer now contradicts nothing.
  const found = await steward.simulated.inventory().catch(() => undefined);
  const isWritable = found === undefined || acceptsWrites(found);
  if (isReadOnly) played.isForcedOpen = false;
  const problems: string[] = [];
  if (!isReadOnly && !isWritable && !played.isForcedOpen)
    problems.push('the system is open, and no database instance accepts writes');
  const isOwned = failedJob(facts) !== undefined;
  if (isOwned && !isReadOnly && played.afterFailure !== 'open' && !played.isOpened)
    problems.push('a job has failed, no one has opened the system, and it is open');
  if (isOwned || played.isForced) return problems;
  const imagesFor = imagesOf(
    (image) => image,
    facts.installed.map((one) => one.version),
  );
  const drifted = workloads.filter((one) => !isSameImages(one.images, imagesFor(one))).map(({ name }) => name);
  const { revertedIn } = played;
  const isExcused = revertedIn !== undefined && (state !== 'succeeded' || facts.latest?.id === revertedIn.job);
  if (drifted.length > 0 && !isExcused) problems.push(`${state}, but ${drifted.join(', ')} run something else`);
  problems.push(...(await silentOmissions(steward, facts, played)));
  problems.push(...(await objectContradictions(steward, facts, played.objects)));
  if (database?.trouble !== undefined) problems.push(`${state}, but ${database.trouble}`);
  return problems;
}

test('[UPG6] [U20] [UPG13] [UPG18] [UPG19] whatever is asked, and whatever fails, Steward never says what the deployment is not', async () => {
  await fc.assert(
    fc.asyncProperty(layouts, fc.array(verb, { minLength: 3, maxLength: 14 }), async (bundles, verbs) => {
      const steward = await servers.start({ areas: { upgradeDeadlineSeconds: 30, clusterKinds: [DEFINITION_KIND] } });
      const played: Played = { isForced: false, revertedAfter: new Map(), objects: playedObjects() };
      if (bundles !== undefined) await importLayout(steward, bundles);
      for (const one of verbs) {
        await play(steward, one, played);
        expect(await contradictions(steward, played)).toEqual([]);
      }
      // Everything is repaired: the last job comes to an end that the deployment confirms.
      await steward.simulated.removeFaults(undefined);
      await play(steward, { kind: 'resume' }, played);
      await play(steward, { kind: 'end' }, played);
      expect(await contradictions(steward, played)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});
