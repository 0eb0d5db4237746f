import type { Failure } from '../model/failure.ts';
import type { Inventory } from '../model/workload.ts';
import type { Database } from '../upgrades/ports/database.ts';
import type { Act, BegunAct, DatabaseAct, Deployment, Observation } from '../upgrades/ports/deployment.ts';

/** All acts but those on the database. */
export type WorkloadAct = Exclude<Act, DatabaseAct>;
export type BegunWorkloadAct = WorkloadAct & Pick<BegunAct, 'receipt'>;

/** A deployment without its database. */
export interface WorkloadDeployment extends Omit<Deployment, 'inventory' | 'rehearse' | 'begin' | 'observe'> {
  inventory(signal?: AbortSignal): Promise<Omit<Inventory, 'database'>>;
  rehearse(acts: readonly WorkloadAct[], signal?: AbortSignal): Promise<readonly (Failure | undefined)[]>;
  begin(act: WorkloadAct, fence: number, signal?: AbortSignal): ReturnType<Deployment['begin']>;
  observe(acts: readonly BegunWorkloadAct[], signal?: AbortSignal): Promise<readonly Observation[]>;
}

/** The database of a deployment that Steward does not manage. */
export const NO_DATABASE: Database = {
  describe: async () => undefined,
  takeOver: async () => undefined,
  begin: async () => ({
    kind: 'refused',
    failure: {
      reason: 'Steward does not manage the database of this deployment.',
      lines: [],
      advice: 'Upgrade the database with its own tools.',
    },
  }),
  observe: async (acts) => acts.map(() => ({ state: 'absent' })),
};

/** Puts the answers for two parts of a list into the order of the list. */
function inOrder<T, A>(list: readonly T[], parts: readonly (readonly [readonly T[], readonly A[]])[]): readonly A[] {
  const answers = new Map(parts.flatMap(([items, found]) => items.map((item, n) => [item, found[n]] as const)));
  return list.flatMap((item) => {
    const answer = answers.get(item);
    return answer === undefined ? [] : [answer];
  });
}

function isDatabaseAct(act: Act): act is DatabaseAct {
  return act.kind === 'database';
}

function isWorkloadAct<T extends Act>(act: T): act is T & WorkloadAct {
  return act.kind !== 'database';
}

/** Joins the workloads of a deployment with its database: each act goes to the one that it concerns. */
export function joinDatabase(workloads: WorkloadDeployment, database: Database): Deployment {
  return {
    ...workloads,

    async inventory(signal) {
      const [found, described] = await Promise.all([workloads.inventory(signal), database.describe(signal)]);
      if (described === undefined) return { ...found, database: undefined };
      const { expectedMs, ...rest } = described;
      return { ...found, expectedMs: { ...found.expectedMs, ...expectedMs }, database: rest };
    },

    async rehearse(acts, signal) {
      const ours = acts.filter(isWorkloadAct);
      const answers = new Map<Act, Failure | undefined>();
      for (const [n, failure] of (await workloads.rehearse(ours, signal)).entries()) {
        const act = ours[n];
        if (act !== undefined) answers.set(act, failure);
      }
      return acts.map((act) => answers.get(act));
    },

    async takeOver(fence, signal, objects) {
      await Promise.all([workloads.takeOver(fence, signal, objects), database.takeOver(fence, signal)]);
    },

    begin: (act, fence, signal) =>
      isDatabaseAct(act) ? database.begin(act, fence, signal) : workloads.begin(act, fence, signal),

    async observe(acts, signal) {
      const [ours, theirs] = [acts.filter(isWorkloadAct), acts.filter(isDatabaseAct)];
      const [observed, phases] = await Promise.all([
        ours.length === 0 ? [] : workloads.observe(ours, signal),
        theirs.length === 0 ? [] : database.observe(theirs, signal),
      ]);
      return inOrder<Act, Observation>(acts, [
        [ours, observed],
        [theirs, phases],
      ]);
    },
  };
}
