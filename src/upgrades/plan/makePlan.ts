// Makes the plan of a job: a pure function of what the deployment is (the inventory) and what is requested (the targets).
// `plan` shows it before a job exists, and the job stores it in its journal before the first step.
import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Inventory } from '../../model/workload.ts';
import type { ActStep, Plan, Step, StepId } from '../values/plan.ts';
import { OBJECTS_FORMAT, PLAN_FORMAT, changesIn } from '../values/plan.ts';
import type { Task } from '../values/task.ts';
import { objectSteps } from './objects/objectSteps.ts';
import { planHash, stepContent } from './planHash.ts';
import type { RolloutInput } from './rolloutSteps.ts';
import { rolloutSteps } from './rolloutSteps.ts';

export interface PlanInput
  extends RolloutInput, Pick<Task, 'from' | 'volumes' | 'licenceUpload' | 'isRestorePointWaived'> {
  readonly inventory: Inventory;
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

const STEP_MS = 20_000;
const SHORT_STEP_MS = STEP_MS / 20;
const ENGINE_MS = 300_000;

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
    ...objectSteps(input, ['definitions', 'before']),
    ...(isRelease ? databaseSteps(input) : []),
    ...rolloutSteps(input),
    ...objectSteps(input, ['after']),
    ...(isRelease ? hookSteps(input, FINAL_HOOKS, true) : []),
    ...objectSteps(input, ['removals']),
  ];
  const steps = all.filter(({ id }) => !input.alreadyDone.has(id));
  const pointOfNoReturn = input.isPastReturn ? undefined : steps.find(({ isFinal }) => isFinal)?.id;
  const units = steps.map((step) => (step.kind === 'rollout' ? changesIn(step).length : 1));
  const kept = input.objects.objects.flatMap(({ object, kept: reason }) =>
    reason === undefined ? [] : [{ object, reason }],
  );
  return {
    format: steps.some((step) => changesIn(step).some(({ object }) => object !== undefined))
      ? OBJECTS_FORMAT
      : PLAN_FORMAT,
    steps,
    pointOfNoReturn,
    total: units.reduce((sum, n) => sum + n, 0),
    estimateMs: steps.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
    ...(kept.length > 0 && { kept }),
    hash: planHash(stepContent(input, steps, pointOfNoReturn)),
  };
}
