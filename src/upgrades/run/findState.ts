import type { Found } from '../journal/entry.ts';
import type { RunState } from '../journal/runState.ts';
import { isDatabaseTouched } from '../journal/runState.ts';
import { isSameImages } from '../plan/images.ts';
import { changesOf } from '../plan/plan.ts';
import type { Inventory } from '../../model/workload.ts';
import type { SessionTools } from './sessionTools.ts';

function countWorkloads({ plan }: RunState, { workloads }: Inventory): NonNullable<Found['workloads']> {
  const present = new Map(workloads.map((one) => [one.name, one]));
  const [updated, previous, other] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const unhealthy = new Map<string, string>();
  // Of a workload that several rollouts change, the last one counts.
  for (const { workload, from, to } of plan === undefined ? [] : changesOf(plan)) {
    const images = present.get(workload)?.images ?? [];
    for (const one of [updated, previous, other]) one.delete(workload);
    (isSameImages(images, to) ? updated : isSameImages(images, from) ? previous : other).add(workload);
    const trouble = present.get(workload)?.trouble;
    if (trouble !== undefined) unhealthy.set(workload, trouble);
  }
  return {
    updated: updated.size,
    previous: previous.size,
    other: [...other],
    unhealthy: [...unhealthy].map(([workload, trouble]) => ({ workload, trouble })),
  };
}

/** What the journal tells about the database, if the deployment does not answer. */
function isDatabaseOpen(state: RunState): boolean {
  return !isDatabaseTouched(state) || state.isDatabaseRestored || state.done.has('database/readWrite');
}

/** Looks once at the deployment that a failed job leaves behind. */
export async function findState({ deployment, writer, signal }: SessionTools): Promise<Found> {
  const state = writer.state();
  try {
    const inventory = await deployment.inventory(signal);
    const instances = inventory.database?.instances ?? [];
    const acceptsWrites = instances.length === 0 || instances.some(({ isReadOnly }) => !isReadOnly);
    return { acceptsWrites, workloads: countWorkloads(state, inventory) };
  } catch {
    return { acceptsWrites: isDatabaseOpen(state), workloads: undefined };
  }
}
