import type { Remedy } from '../../model/failure.ts';
import type { Found } from '../journal/entry.ts';
import type { RunState } from '../journal/runState.ts';
import { isDatabaseTouched, workloadKey } from '../journal/runState.ts';
import { imageNames, isSameImages } from '../versions/images.ts';
import type { Change } from '../values/plan.ts';
import { changesIn, changesOf, isUpdate } from '../values/plan.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import { acceptsWrites } from '../../model/workload.ts';
import type { Act } from '../ports/deployment.ts';
import type { SessionTools } from './sessionTools.ts';

type Running = 'updated' | 'between' | 'previous' | 'unfinished' | 'notRunning' | 'other';

/** What a workload runs. A job may change it more than once: to a release, and then to its latest patch. */
function runningOf(changes: readonly Change[], found: Workload | undefined): Running {
  if (found === undefined || found.isRunning === false) return 'notRunning';
  const { images } = found;
  const position = changes.findLastIndex(({ to }) => isSameImages(images, to));
  if (position === changes.length - 1) return 'updated';
  if (position >= 0) return 'between';
  if (isSameImages(images, changes[0]?.from ?? [])) return 'previous';
  // It is configured with images of the job or with its own, and its pods do not run them yet.
  const configured = [changes[0]?.from ?? [], ...changes.map(({ to }) => to)].map(imageNames);
  return configured.includes(imageNames(images)) ? 'unfinished' : 'other';
}

/** The updates of each workload, without the workloads that the job adds and has not created yet, or has removed again. */
function updatesIn(
  { plan, workloads, restoredWorkloads }: RunState,
  present: ReadonlyMap<string, Workload>,
): ReadonlyMap<string, readonly Change[]> {
  const updates = new Map<string, readonly Change[]>();
  const begun = new Set<string>();
  for (const step of plan?.steps ?? []) {
    if (step.kind !== 'rollout') continue;
    for (const change of changesIn(step).filter(isUpdate)) {
      const { workload } = change;
      updates.set(workload, [...(updates.get(workload) ?? []), change]);
      if (workloads.has(workloadKey(step.id, workload)) && !restoredWorkloads.has(workload)) begun.add(workload);
    }
  }
  const isExpected = (name: string, [first]: readonly Change[]): boolean =>
    present.has(name) || begun.has(name) || first?.object?.verb !== 'create';
  return new Map([...updates].filter(([name, changes]) => isExpected(name, changes)));
}

/** What runs of what the job changes. */
export function countWorkloads(state: RunState, { workloads }: Inventory): NonNullable<Found['workloads']> {
  const present = new Map(workloads.map((one) => [one.name, one]));
  const changes = updatesIn(state, present);
  const found = [...changes].map(([workload, list]) => {
    const one = present.get(workload);
    const trouble = one === undefined ? 'it does not exist any more' : one.trouble;
    return { workload, trouble, runs: runningOf(list, one) };
  });
  const named = (runs: Running): readonly string[] =>
    found.filter((one) => one.runs === runs).map(({ workload }) => workload);
  return {
    updated: named('updated').length,
    between: named('between').length,
    previous: named('previous').length,
    unfinished: named('unfinished'),
    other: named('other'),
    notRunning: named('notRunning'),
    unhealthy: found.flatMap(({ workload, trouble }) => (trouble === undefined ? [] : [{ workload, trouble }])),
  };
}

/** What the journal tells about the database, if the deployment does not answer. */
function isDatabaseOpen(state: RunState): boolean {
  return !isDatabaseTouched(state) || state.isDatabaseRestored || state.done.has('database/readWrite');
}

/** What the deployment says about unhealthy workloads whose rollouts this job has begun, by workload. */
async function remediesOf(
  unhealthy: readonly { readonly workload: string }[],
  { plan }: RunState,
  { workloads }: Inventory,
  { deployment, signal }: SessionTools,
): Promise<ReadonlyMap<string, Remedy>> {
  const names = new Set(unhealthy.map(({ workload }) => workload));
  const acts = workloads.flatMap(({ name: workload, images }): (Act & { kind: 'images' })[] => {
    const changes = names.has(workload) && plan !== undefined ? changesOf(plan) : [];
    const change = changes.find((one) => one.workload === workload && imageNames(one.to) === imageNames(images));
    return change === undefined ? [] : [{ kind: 'images', workload, images: change.to }];
  });
  const seen = acts.length === 0 ? [] : await deployment.observe(acts, signal).catch(() => []);
  return new Map(
    acts.flatMap(({ workload }, n) => {
      const one = seen[n];
      return one?.state === 'failed' ? [[workload, one.failure] as const] : [];
    }),
  );
}

/** Looks once at the deployment that a failed job leaves behind. */
export async function findState(tools: SessionTools): Promise<Found> {
  const { deployment, writer, signal } = tools;
  const state = writer.state();
  const inventory = await deployment.inventory(signal).catch(() => undefined);
  if (inventory === undefined)
    return { acceptsWrites: isDatabaseOpen(state), database: undefined, workloads: undefined };
  const counted = countWorkloads(state, inventory);
  const remedies = await remediesOf(counted.unhealthy, state, inventory, tools);
  const unhealthy = counted.unhealthy.map((one) => {
    const { advice, nextActions } = remedies.get(one.workload) ?? {};
    return { ...one, advice, nextActions };
  });
  return {
    acceptsWrites: acceptsWrites(inventory),
    database: inventory.database,
    workloads: { ...counted, unhealthy },
  };
}
