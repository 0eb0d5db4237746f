import type { PlannedObject } from '../../../upgrades/plan/objects/plannedObjects.ts';
import type { Change, Step } from '../../../upgrades/values/plan.ts';
import { changesIn, isUpdate } from '../../../upgrades/values/plan.ts';
import type { PlannedUpgrade } from '../../../upgrades/request/planner.ts';
import { versionName } from '../../../model/version.ts';
import type {
  PlanAnswer,
  PlannedChangeAnswer,
  PlannedObjectAnswer,
  PlannedStepAnswer,
} from '../../../wire/answers/upgradeAnswers.ts';

function changeView({ workload, component, module, from, to }: Change): PlannedChangeAnswer {
  return {
    workload,
    component,
    module,
    images: to.map(({ container, image, checksum }, n) => ({
      container,
      from: from[n]?.image ?? null,
      to: image,
      checksum: checksum ?? null,
    })),
  };
}

function objectView({ step, fields, final, ...rest }: PlannedObject): PlannedObjectAnswer {
  return {
    ...rest,
    step: step ?? null,
    fields: fields.map(({ before, after, ...field }) => ({ ...field, before: before ?? null, after: after ?? null })),
    canBeUndone: final === undefined,
    final: final ?? null,
  };
}

function stepView(step: Step, canBeUndone: boolean): PlannedStepAnswer {
  const { id, title, estimateMs } = step;
  const common = { step: id, title, canBeUndone, estimateMs };
  if (step.kind !== 'rollout') return common;
  const updates = step.waves.map((wave) => wave.filter(isUpdate)).filter((wave) => wave.length > 0);
  if (updates.length > 0) return { ...common, waves: updates.map((wave) => wave.map(changeView)) };
  return { ...common, objects: changesIn(step).map(({ workload }) => workload) };
}

/** Shows a plan. `upgrade` accepts its `planHash`, so that only the plan that was reviewed is run. */
export function planView({ plan, objects, checks, spec, hash }: PlannedUpgrade, isSimulated: boolean): PlanAnswer {
  const { steps, pointOfNoReturn, estimateMs } = plan;
  const { from, to, versionId } = spec.task;
  const noReturn = pointOfNoReturn === undefined ? steps.length : steps.findIndex(({ id }) => id === pointOfNoReturn);
  return {
    id: versionId,
    from: versionName(from),
    to: versionName(to),
    canStart: checks.every(({ verdict }) => verdict !== 'fail'),
    checks,
    steps: steps.map((step, n) => stepView(step, n < noReturn)),
    ...(objects.length > 0 && { objects: objects.map(objectView) }),
    pointOfNoReturn: pointOfNoReturn ?? null,
    // The system is read-only from the start of the job to its end.
    estimate: { totalMs: estimateMs, readOnlyMs: estimateMs },
    planHash: hash,
    simulated: isSimulated,
  };
}
