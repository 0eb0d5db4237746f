import { createHash } from 'node:crypto';
import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Image, Inventory, Volumes, Workload } from '../../model/workload.ts';
import type { CurrentVersion, Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';

/** Under this name the plan is in the journal of its job. */
export const PLAN = 'plan';

/** One workload and its images before and after. */
export interface Change {
  readonly workload: string;
  readonly component: string;
  readonly module: string;
  readonly from: readonly Image[];
  readonly to: readonly Image[];
  readonly estimateMs: number;
}

interface StepBase {
  /** Unique within a plan, and the same in every plan. */
  readonly key: string;
  /** What it does, for people. */
  readonly title: string;
  /** Whether nothing brings back what was before. */
  readonly isFinal: boolean;
  readonly estimateMs: number;
}

export type Update = 'patch' | 'release' | 'rollback';

/** The update of all workloads that one version changes, wave after wave. */
export type LegStep = StepBase & {
  readonly kind: 'leg';
  readonly update: Update;
  readonly waves: readonly (readonly Change[])[];
};

export type Step =
  | LegStep
  | (StepBase & { readonly kind: 'volumes'; readonly volumes: Volumes })
  | (StepBase & { readonly kind: 'licence'; readonly upload: string })
  | (StepBase & { readonly kind: 'hook'; readonly hook: Hook })
  | (StepBase & {
      readonly kind: 'database';
      readonly phase: DatabasePhase;
      readonly primary: string;
      readonly standby: string;
    });

export interface Plan {
  readonly steps: readonly Step[];
  /** The first step that cannot be undone. */
  readonly pointOfNoReturn: string | undefined;
  /** Units of progress: each workload of a leg, and each other step. */
  readonly total: number;
  readonly estimateMs: number;
  readonly hash: string;
}

/** The images that a version, or the rollback of one, gives to a workload. */
export type ImagesFor = (workload: Workload) => readonly Image[];

export interface Leg {
  readonly update: Update;
  readonly title: string;
  readonly imagesFor: ImagesFor;
}

export interface PlanNeeds {
  readonly inventory: Inventory;
  readonly from: CurrentVersion;
  readonly legs: readonly Leg[];
  readonly volumes: Volumes;
  readonly licenceUpload: string | undefined;
  readonly isRestorePointWaived: boolean;
  readonly parallel: number;
  /** How long steps of earlier jobs took: by their keys, workloads as `workload/…`. */
  readonly durations: ReadonlyMap<string, number>;
  /** Steps that a job which this one finishes has done already. */
  readonly done: ReadonlySet<string>;
  /** Whether the point of no return lies behind already, in such a job. */
  readonly isPastReturn: boolean;
}

const PHASES: readonly (readonly [DatabasePhase, string])[] = [
  ['readOnly', 'Set the primary to read-only'],
  ['promote', 'Promote the standby'],
  ['engine', 'Upgrade the engine of the new primary'],
  ['afterEngine', 'Finish the upgrade of the engine'],
  ['readWrite', 'Set the new primary to read-write'],
  ['roles', 'Tell everyone of the new roles'],
  ['standby', 'Add the former primary as the new standby'],
];

/** From here on the new primary may have taken what the former one has not. */
const FINAL_PHASES: ReadonlySet<DatabasePhase> = new Set(['readWrite', 'roles', 'standby']);

const AFTERWARDS: readonly (readonly [Hook, string])[] = [
  ['portal-content', 'Update portal content'],
  ['logging', 'Post-upgrade operations for logging'],
  ['auto-deployed-services', 'Refresh auto-deployed services'],
  ['search-indices', 'Refresh the search indices'],
];

const ROLLOUT_MS = 60_000;
const STEP_MS = 20_000;
const ENGINE_MS = 300_000;

/** Containers are matched by their names; those that a version does not name stay as they are. */
export function imagesOf(...versions: readonly Version[]): ImagesFor {
  const known = new Map(versions.flatMap(({ containers }) => containers.map((one) => [one.name, one] as const)));
  return ({ images }) =>
    images.map((has) => {
      const wanted = known.get(has.container);
      return wanted === undefined ? has : { container: has.container, image: wanted.image, checksum: wanted.checksum };
    });
}

export function isSameImages(one: readonly Image[], other: readonly Image[]): boolean {
  return (
    one.length === other.length &&
    one.every((image, n) => image.image === other[n]?.image && image.checksum === other[n]?.checksum)
  );
}

/** How long a wave takes when so many go at once and the next begins as soon as one is done. */
export function waveMs(estimates: readonly number[], parallel: number): number {
  const free = Array.from({ length: Math.max(1, Math.min(parallel, estimates.length)) }, () => 0);
  for (const ms of estimates) {
    const first = free.indexOf(Math.min(...free));
    free[first] = (free[first] ?? 0) + ms;
  }
  return Math.max(...free);
}

function wavesOf(
  workloads: readonly Workload[],
  imagesFor: ImagesFor,
  durations: PlanNeeds['durations'],
): readonly (readonly Change[])[] {
  const changes = workloads.flatMap((one) => {
    const to = imagesFor(one);
    if (isSameImages(one.images, to)) return [];
    const { name: workload, component, module, wave, images: from } = one;
    const estimateMs = durations.get(`workload/${workload}`) ?? one.expectedMs ?? ROLLOUT_MS;
    return [{ wave, change: { workload, component, module, from, to, estimateMs } satisfies Change }];
  });
  const numbers = [...new Set(changes.map(({ wave }) => wave))].toSorted((a, b) => a - b);
  return numbers.map((number) =>
    changes
      .filter(({ wave }) => wave === number)
      .map(({ change }) => change)
      // The longest first: none of them begins when the others are nearly done.
      .toSorted((a, b) => b.estimateMs - a.estimateMs || a.workload.localeCompare(b.workload)),
  );
}

/** The name of its update, numbered where there are two of a kind. */
export function legKey(legs: readonly { readonly update: Update }[], n: number): string {
  const { update = 'patch' } = legs[n] ?? {};
  const same = legs.slice(0, n).filter((leg) => leg.update === update).length;
  return same === 0 ? update : `${update}-${same + 1}`;
}

function legSteps({ inventory, legs, parallel, durations }: PlanNeeds): readonly LegStep[] {
  const steps: LegStep[] = [];
  let { workloads } = inventory;
  for (const [n, { update, title, imagesFor }] of legs.entries()) {
    const waves = wavesOf(workloads, imagesFor, durations);
    const estimates = waves.map((wave) =>
      waveMs(
        wave.map(({ estimateMs }) => estimateMs),
        parallel,
      ),
    );
    const estimateMs = estimates.reduce((sum, ms) => sum + ms, 0);
    if (waves.length > 0)
      steps.push({ kind: 'leg', key: legKey(legs, n), title, update, isFinal: false, estimateMs, waves });
    workloads = workloads.map((one) => ({ ...one, images: imagesFor(one) }));
  }
  return steps;
}

function databaseSteps({ inventory, durations }: PlanNeeds): readonly Step[] {
  const instances = inventory.database?.instances ?? [];
  const primary = instances.find(({ role }) => role === 'primary')?.name;
  const standby = instances.find(({ role }) => role === 'standby')?.name;
  if (primary === undefined || standby === undefined) return [];
  return PHASES.map(([phase, title]) => ({
    kind: 'database',
    key: `database/${phase}`,
    title,
    isFinal: FINAL_PHASES.has(phase),
    estimateMs:
      durations.get(`database/${phase}`) ?? inventory.expectedMs?.[phase] ?? (phase === 'engine' ? ENGINE_MS : STEP_MS),
    phase,
    primary,
    standby,
  }));
}

function hookSteps(
  { inventory, durations }: PlanNeeds,
  wanted: readonly (readonly [Hook, string])[],
  isFinal: boolean,
): readonly Step[] {
  return wanted
    .filter(([hook]) => inventory.hooks.includes(hook))
    .map(([hook, title]) => ({
      kind: 'hook',
      key: `hook/${hook}`,
      title,
      isFinal,
      estimateMs: durations.get(`hook/${hook}`) ?? inventory.expectedMs?.[hook] ?? STEP_MS,
      hook,
    }));
}

function stepsBefore(needs: PlanNeeds): readonly Step[] {
  const { volumes, licenceUpload } = needs;
  const names = Object.keys(volumes);
  const common = { isFinal: false, estimateMs: STEP_MS / 20 };
  return [
    ...(names.length === 0
      ? []
      : [
          {
            ...common,
            kind: 'volumes',
            key: 'volumes',
            title: `Make or grow volumes: ${names.join(', ')}`,
            volumes,
          } as const,
        ]),
    ...(licenceUpload === undefined
      ? []
      : [
          {
            ...common,
            kind: 'licence',
            key: 'licence',
            title: 'Hand over the licence',
            upload: licenceUpload,
          } as const,
        ]),
  ];
}

/** Their order hangs on estimates, which are nobody's change. */
function byWorkload(wave: readonly Change[]): readonly unknown[] {
  return wave.map(({ workload, to }) => ({ workload, to })).toSorted((a, b) => a.workload.localeCompare(b.workload));
}

/** Different as soon as the deployment or what is to be done with it has changed. The licence is neither. */
function hashOf({ inventory, from, volumes }: PlanNeeds, steps: readonly Step[]): string {
  const { workloads, hooks, database, volumes: has } = inventory;
  const told = workloads.map(({ name, wave, images, owner }) => ({ name, wave, images, owner }));
  const toDo = steps
    .filter(({ kind }) => kind !== 'licence')
    .map((step) => [step.key, step.kind === 'leg' ? step.waves.map(byWorkload) : []]);
  const all = { from: versionName(from), told, hooks, database, has, volumes, toDo };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

export function planFor(needs: PlanNeeds): Plan {
  const isRelease = needs.legs.some(({ update }) => update === 'release');
  const legs = legSteps(needs);
  const all: readonly Step[] = [
    ...stepsBefore(needs),
    ...(isRelease && !needs.isRestorePointWaived ? hookSteps(needs, [['backup', 'Make a restore point']], false) : []),
    ...(isRelease ? databaseSteps(needs) : []),
    ...legs,
    ...(isRelease ? hookSteps(needs, AFTERWARDS, true) : []),
  ];
  const steps = all.filter(({ key }) => !needs.done.has(key));
  const units = steps.map((step) => (step.kind === 'leg' ? step.waves.flat().length : 1));
  return {
    steps,
    pointOfNoReturn: needs.isPastReturn ? undefined : steps.find(({ isFinal }) => isFinal)?.key,
    total: units.reduce((sum, n) => sum + n, 0),
    estimateMs: steps.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
    hash: hashOf(needs, steps),
  };
}
