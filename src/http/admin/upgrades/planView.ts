import type { Change, Step } from '../../../upgrades/plan/plan.ts';
import type { Planned } from '../../../upgrades/plan/planRequest.ts';
import { versionName } from '../../../model/version.ts';
import type { PlanAnswer, PlannedChangeAnswer, PlannedStepAnswer } from '../../../wire/answers/upgradeAnswers.ts';

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

function stepView(step: Step, canBeUndone: boolean): PlannedStepAnswer {
  const { key, title, estimateMs } = step;
  const common = { step: key, title, canBeUndone, estimateMs };
  return step.kind === 'leg' ? { ...common, waves: step.waves.map((wave) => wave.map(changeView)) } : common;
}

/** Shows a plan. `upgrade` accepts its `planHash`, so that only the plan that was reviewed is run. */
export function planView({ plan, checks, wanted }: Planned, isSimulated: boolean): PlanAnswer {
  const { steps, pointOfNoReturn, estimateMs, hash } = plan;
  const { from, to, versionId } = wanted.task;
  const noReturn = pointOfNoReturn === undefined ? steps.length : steps.findIndex(({ key }) => key === pointOfNoReturn);
  return {
    id: versionId,
    from: versionName(from),
    to: versionName(to),
    canStart: checks.every(({ verdict }) => verdict !== 'fail'),
    checks,
    steps: steps.map((step, n) => stepView(step, n < noReturn)),
    pointOfNoReturn: pointOfNoReturn ?? null,
    // The system is read-only from the start of the job to its end.
    estimate: { totalMs: estimateMs, readOnlyMs: estimateMs },
    planHash: hash,
    simulated: isSimulated,
  };
}
