import type { Change, Step } from '../../../upgrades/plan/plan.ts';
import type { Planned } from '../../../upgrades/plan/planRequest.ts';
import { versionName } from '../../../model/version.ts';

function changeView({ workload, component, module, from, to }: Change) {
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

function stepView(step: Step, canBeUndone: boolean) {
  const { key, title, estimateMs } = step;
  const common = { step: key, title, canBeUndone, estimateMs };
  return step.kind === 'leg' ? { ...common, waves: step.waves.map((wave) => wave.map(changeView)) } : common;
}

/** A plan for people and for `upgrade`, which takes its `planHash`. */
export function planView({ plan, checks, wanted }: Planned, isSimulated: boolean) {
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
    // The system is read-only from the acceptance of the job to its end.
    estimate: { totalMs: estimateMs, readOnlyMs: estimateMs },
    planHash: hash,
    simulated: isSimulated,
  };
}
