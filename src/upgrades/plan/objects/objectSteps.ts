// The steps of a plan that apply and remove objects other than workloads.
import type { Change, Durations, ObjectsStepId, RolloutStep, Update } from '../../values/plan.ts';
import { OBJECTS_AT_ONCE, wavesMs } from '../estimate.ts';
import type { DraftedObject, DraftedObjects } from './draftObjects.ts';

type Part = 'definitions' | 'before' | 'after' | 'removals';

const TITLES: Readonly<Record<Part, string>> = {
  definitions: 'Apply definitions of kinds',
  before: 'Apply accounts, rights, configuration and services',
  after: 'Apply autoscalers, ingresses and budgets',
  removals: 'Remove objects that the version no longer has',
};

const OBJECT_MS = 1000;

export interface ObjectStepsInput {
  readonly inventory: { readonly workloads: readonly { readonly name: string; readonly images: Change['from'] }[] };
  readonly rollouts: readonly { readonly update: Update }[];
  readonly objects: DraftedObjects;
  readonly durations: Durations;
}

function changeOf(
  { object, finding, stages, firstStage, former }: DraftedObject,
  { inventory, durations, objects }: ObjectStepsInput,
): Change {
  const isRemoval = stages.length === 0;
  return {
    workload: object,
    component: '',
    module: '',
    // A workload that is removed has images, which its return needs.
    from: isRemoval ? (inventory.workloads.find(({ name }) => name === object)?.images ?? []) : [],
    to: [],
    estimateMs: durations.workloads.get(object) ?? OBJECT_MS,
    object: {
      verb: isRemoval ? 'remove' : former === undefined ? 'create' : 'change',
      content: stages[firstStage]?.content,
      former,
      isCompared: finding.kind !== 'unknown',
      ...(objects.isUndo === true && !isRemoval && { isUndo: true as const }),
      ...(finding.final !== undefined && { final: finding.final }),
    },
  };
}

/** Objects of the same rank are applied at the same time. */
function wavesOf(objects: readonly DraftedObject[], input: ObjectStepsInput): RolloutStep['waves'] {
  const waves = new Map<number, DraftedObject[]>();
  for (const one of objects) {
    const wave = waves.get(one.rank) ?? [];
    wave.push(one);
    waves.set(one.rank, wave);
  }
  return [...waves]
    .toSorted(([a], [b]) => a - b)
    .map(([, wave]) => wave.map((one) => changeOf(one, input)).toSorted((a, b) => (a.workload < b.workload ? -1 : 1)));
}

function isOf(part: Part, { part: own, stages, firstStage, kept }: DraftedObject): boolean {
  if (part === 'removals') return stages.length === 0 && kept === undefined;
  return own === part && firstStage >= 0;
}

/** One step for each part that changes something. It cannot be undone if one of its changes cannot. */
export function objectSteps(input: ObjectStepsInput, parts: readonly Part[]): readonly RolloutStep[] {
  return parts.flatMap((part) => {
    const waves = wavesOf(
      input.objects.objects.filter((one) => isOf(part, one)),
      input,
    );
    const id: ObjectsStepId = `objects/${part}`;
    const common = { kind: 'rollout', id, title: TITLES[part], update: input.rollouts[0]?.update ?? 'patch' } as const;
    const isFinal = waves.flat().some(({ object }) => object?.final !== undefined);
    return waves.length === 0 ? [] : [{ ...common, isFinal, estimateMs: wavesMs(waves, OBJECTS_AT_ONCE), waves }];
  });
}
