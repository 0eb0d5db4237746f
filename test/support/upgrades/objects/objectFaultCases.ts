import type { NewFault } from '../../../../src/drivers/simulated/state/injectedFault.ts';
import { CODE } from '../codes.ts';
import type { FaultCase } from '../faultCases.ts';
import { NO_FAULT } from '../faultCases.ts';

const SUCCEEDED = { objects: 'succeeded', objectsRollback: 'succeeded' } as const;
const UNDONE = { objects: 'undone', objectsRollback: 'undone' } as const;

const LATE = { objects: CODE.planExecuting, objectsRollback: CODE.planExecuting } as const;
const UNDER_WAY = { objects: CODE.workloadUpdated, objectsRollback: CODE.workloadUpdated } as const;

/** `HorizontalPodAutoscaler/worker` comes after the workloads. */
const EARLY_OBJECT = 'ConfigMap/settings';
const LATE_OBJECT = 'HorizontalPodAutoscaler/worker';
const WORKLOAD = 'Deployment/worker';

function atObject(kind: NewFault['kind'], object: string, more: Partial<FaultCase> = {}): FaultCase {
  return {
    name: `${kind} of ${object}`,
    when: LATE,
    faults: [{ kind, workload: object }],
    ends: UNDONE,
    names: new RegExp(object.replace(/^.*\//, '')),
    ...more,
  };
}

/** The API shows the object from before for a while. */
function lagging(object: string): FaultCase {
  return { name: `lag of ${object}`, when: LATE, faults: [{ kind: 'lag', workload: object }], ends: SUCCEEDED };
}

function outage(name: string, when: FaultCase['when'], kind: 'apiErrors' | 'apiHangs', seconds: number): FaultCase {
  return { name, ...(when && { when }), faults: [{ kind, seconds }], ends: SUCCEEDED };
}

/** Faults of jobs with objects. */
export const OBJECT_FAULT_CASES: readonly FaultCase[] = [
  { ...NO_FAULT, ends: SUCCEEDED },
  atObject('objectConflict', EARLY_OBJECT),
  atObject('objectConflict', LATE_OBJECT, {
    // It keeps the object from being restored too, but it was not changed.
    name: `objectConflict of ${LATE_OBJECT}, which was not changed yet`,
  }),
  atObject('objectRefused', EARLY_OBJECT),
  atObject('objectRefused', LATE_OBJECT),
  atObject('objectQuota', LATE_OBJECT),
  atObject('objectNeverReady', EARLY_OBJECT),
  atObject('objectNeverReady', LATE_OBJECT),
  atObject('objectNeverReady', WORKLOAD),
  atObject('objectReverted', EARLY_OBJECT),
  atObject('objectReverted', LATE_OBJECT),
  atObject('objectReverted', WORKLOAD),
  atObject('objectRefused', 'Deployment/gone', { name: 'a removal or a return is refused' }),
  atObject('crashLoop', WORKLOAD),
  lagging(EARLY_OBJECT),
  lagging(WORKLOAD),
  outage('the API is away for 5 s', undefined, 'apiErrors', 5),
  outage('the API is away for 5 s once workloads are updated', UNDER_WAY, 'apiErrors', 5),
  outage('the API hangs for 15 s once workloads are updated', UNDER_WAY, 'apiHangs', 15),
  {
    name: 'the API is away for longer than a step may take',
    when: UNDER_WAY,
    faults: [{ kind: 'apiErrors', seconds: 3000 }],
    ends: { objects: 'failed', objectsRollback: 'failed' },
    names: /503 Service Unavailable/,
  },
  {
    name: 'conflicts of all objects once workloads are updated, which keep them from being restored',
    when: UNDER_WAY,
    faults: [{ kind: 'objectConflict' }],
    ends: { objects: 'failed', objectsRollback: 'failed' },
    names: /managed by/,
  },
  {
    name: 'forbidden once workloads are updated',
    when: UNDER_WAY,
    faults: [{ kind: 'forbidden' }],
    ends: { objects: 'failed', objectsRollback: 'failed' },
  },
  { name: 'cancelled', when: UNDER_WAY, faults: [{ kind: 'slow' }], verb: 'cancel', ends: UNDONE },
  { name: 'paused and resumed', when: UNDER_WAY, faults: [], verb: 'pause', ends: SUCCEEDED },
];
