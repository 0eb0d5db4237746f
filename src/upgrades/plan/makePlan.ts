// Makes the plan of a job: a pure function of what the deployment is (the inventory) and what is requested (the targets).
// `plan` shows it before a job exists, and the job stores it in its journal before the first step.
import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Inventory, Workload } from '../../model/workload.ts';
import { wavesMs } from './estimate.ts';
import type { ImagesFor } from '../versions/images.ts';
import { isSameImages } from '../versions/images.ts';
import type { ActStep, Change, Durations, Plan, RolloutId, RolloutStep, Step, StepId, Update } from '../values/plan.ts';
import { PLAN_FORMAT, changesIn } from '../values/plan.ts';
import type { Task } from '../values/task.ts';
import { planHash, stepContent } from './planHash.ts';

export interface RolloutSpec {
  readonly update: Update;
  readonly title: string;
  readonly imagesFor: ImagesFor;
}

export interface PlanInput extends Pick<Task, 'from' | 'volumes' | 'licenceUpload' | 'isRestorePointWaived'> {
  readonly inventory: Inventory;
  readonly rollouts: readonly RolloutSpec[];
  /** How many workloads are updated at a time. */
  readonly parallel: number;
  readonly durations: Durations;
  /** Steps that a failed job has done, if this job completes it. */
  readonly alreadyDone: ReadonlySet<StepId>;
  /** Whether that job has passed the point of no return. */
  readonly isPastReturn: boolean;
}

const PHASES: readonly (readonly [Exclude<DatabasePhase, 'restore'>, string])[] = [
  ['readOnly', 'Set the primary to read-only'],
  ['promote', 'Promote the standby'],
  ['engine', 'Upgrade the engine of the new primary'],
  ['afterEngine', 'Finish the upgrade of the engine'],
  ['readWrite', 'Set the new primary to read-write'],
  ['roles', 'Announce the new roles'],
  ['standby', 'Add the former primary as the new standby'],
];

/** From `readWrite` on the new primary may have data that the former one does not have. */
const FINAL_PHASES: ReadonlySet<DatabasePhase> = new Set(['readWrite', 'roles', 'standby']);

const BACKUP_HOOK: readonly (readonly [Hook, string])[] = [['backup', 'Create a restore point']];

const FINAL_HOOKS: readonly (readonly [Hook, string])[] = [
  ['portal-content', 'Update portal content'],
  ['logging', 'Post-upgrade operations for logging'],
  ['auto-deployed-services', 'Refresh auto-deployed services'],
  ['search-indices', 'Refresh the search indices'],
];

const ROLLOUT_MS = 60_000;
const STEP_MS = 20_000;
const SHORT_STEP_MS = STEP_MS / 20;
const ENGINE_MS = 300_000;

function changeOf(workload: Workload, imagesFor: ImagesFor, durations: Durations): Change | undefined {
  const to = imagesFor(workload);
  if (isSameImages(workload.images, to)) return undefined;
  const { name, component, module, images: from } = workload;
  const estimateMs = durations.workloads.get(name) ?? workload.expectedMs ?? ROLLOUT_MS;
  return { workload: name, component, module, from, to, estimateMs };
}

/** Steward itself comes after all other workloads: its replacement takes over a job that has only the rest to do. */
function waveOf({ isSteward, wave }: Workload): number {
  return isSteward ? Number.POSITIVE_INFINITY : wave;
}

/** Groups the changes by wave. The longest update of a wave comes first, so that it does not start last. */
function wavesOf(
  workloads: readonly Workload[],
  imagesFor: ImagesFor,
  durations: Durations,
): readonly (readonly Change[])[] {
  const waves = new Map<number, Change[]>();
  for (const workload of workloads) {
    const change = changeOf(workload, imagesFor, durations);
    if (change === undefined) continue;
    const wave = waves.get(waveOf(workload)) ?? [];
    waves.set(waveOf(workload), wave);
    wave.push(change);
  }
  return [...waves]
    .toSorted(([a], [b]) => a - b)
    .map(([, wave]) => wave.toSorted((a, b) => b.estimateMs - a.estimateMs || a.workload.localeCompare(b.workload)));
}

/** Names the nth rollout. */
export function rolloutId(rollouts: readonly { readonly update: Update }[], n: number): RolloutId {
  const { update = 'patch' } = rollouts[n] ?? {};
  const earlier = rollouts.slice(0, n).filter((one) => one.update === update).length;
  return earlier === 0 ? update : `${update}-${earlier + 1}`;
}

function rolloutSteps({ inventory, rollouts, parallel, durations }: PlanInput): readonly RolloutStep[] {
  const steps: RolloutStep[] = [];
  let { workloads } = inventory;
  for (const [n, { update, title, imagesFor }] of rollouts.entries()) {
    const waves = wavesOf(workloads, imagesFor, durations);
    const id = rolloutId(rollouts, n);
    if (waves.length > 0)
      steps.push({ kind: 'rollout', id, title, update, isFinal: false, estimateMs: wavesMs(waves, parallel), waves });
    workloads = workloads.map((one) => ({ ...one, images: imagesFor(one) }));
  }
  return steps;
}

function databaseSteps({ inventory, durations }: PlanInput): readonly ActStep[] {
  const instances = inventory.database?.instances ?? [];
  const primary = instances.find(({ role }) => role === 'primary')?.name;
  const standby = instances.find(({ role }) => role === 'standby')?.name;
  if (primary === undefined || standby === undefined) return [];
  return PHASES.map(([phase, title]) => {
    const expectedMs = inventory.expectedMs?.[phase] ?? (phase === 'engine' ? ENGINE_MS : STEP_MS);
    const estimateMs = durations.steps.get(`database/${phase}`) ?? expectedMs;
    const isFinal = FINAL_PHASES.has(phase);
    return { kind: 'database', id: `database/${phase}`, title, isFinal, estimateMs, phase, primary, standby };
  });
}

function hookSteps(
  { inventory, durations }: PlanInput,
  hooks: readonly (readonly [Hook, string])[],
  isFinal: boolean,
): readonly ActStep[] {
  return hooks
    .filter(([hook]) => inventory.hooks.includes(hook))
    .map(([hook, title]) => {
      const estimateMs = durations.steps.get(`hook/${hook}`) ?? inventory.expectedMs?.[hook] ?? STEP_MS;
      return { kind: 'hook', id: `hook/${hook}`, title, isFinal, estimateMs, hook };
    });
}

function preparationSteps({ volumes, licenceUpload: upload }: PlanInput): readonly ActStep[] {
  const names = Object.keys(volumes);
  const common = { isFinal: false, estimateMs: SHORT_STEP_MS };
  const title = `Create or expand volumes: ${names.join(', ')}`;
  const steps: ActStep[] = [];
  if (names.length > 0) steps.push({ ...common, kind: 'volumes', id: 'volumes', title, volumes });
  if (upload !== undefined)
    steps.push({ ...common, kind: 'licence', id: 'licence', title: 'Deliver the licence', upload });
  return steps;
}

export function makePlan(input: PlanInput): Plan {
  const isRelease = input.rollouts.some(({ update }) => update === 'release');
  const all: readonly Step[] = [
    ...preparationSteps(input),
    // A restore point of a half-upgraded system would be none.
    ...(isRelease && !input.isRestorePointWaived && !input.isPastReturn ? hookSteps(input, BACKUP_HOOK, false) : []),
    ...(isRelease ? databaseSteps(input) : []),
    ...rolloutSteps(input),
    ...(isRelease ? hookSteps(input, FINAL_HOOKS, true) : []),
  ];
  const steps = all.filter(({ id }) => !input.alreadyDone.has(id));
  const pointOfNoReturn = input.isPastReturn ? undefined : steps.find(({ isFinal }) => isFinal)?.id;
  const units = steps.map((step) => (step.kind === 'rollout' ? changesIn(step).length : 1));
  return {
    format: PLAN_FORMAT,
    steps,
    pointOfNoReturn,
    total: units.reduce((sum, n) => sum + n, 0),
    estimateMs: steps.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
    hash: planHash(stepContent(input, steps, pointOfNoReturn)),
  };
}
