// Looks again at what is done: another controller may have reverted an image since its rollout was complete. At the end also at
// what the job has left out.
import type { RunState } from '../journal/runState.ts';
import { workloadKey } from '../journal/runState.ts';
import type { RolloutId } from '../values/plan.ts';
import type { Omission } from '../values/omission.ts';
import { incompleteParts } from '../versions/omissions.ts';
import { changesIn } from '../values/plan.ts';
import type { BegunAct, Observation } from '../ports/deployment.ts';
import { vanished } from './calls/failures.ts';
import type { Answered, Failed, Halted } from './calls/performer.ts';
import type { ContentOf } from '../plan/objects/objectTools.ts';
import { changeAct, contentsFor } from './changeAct.ts';
import { readInventory } from './readInventory.ts';
import type { SessionTools } from './sessionTools.ts';

interface DoneUpdate {
  readonly step: RolloutId;
  readonly workload: string;
  readonly act: BegunAct;
}

/** The latest complete change of each workload and object, unless a later rollout has begun to replace it. */
function doneUpdates({ plan, workloads, job }: RunState, contentOf: ContentOf): readonly DoneUpdate[] {
  const updates = new Map<string, DoneUpdate>();
  for (const step of plan?.steps ?? []) {
    if (step.kind !== 'rollout') continue;
    for (const change of changesIn(step)) {
      const { workload } = change;
      const run = workloads.get(workloadKey(step.id, workload));
      if (run === undefined) continue;
      const act = changeAct(change, { task: job.task, contentOf });
      // With the receipt, the driver names the manager that has changed an object since.
      const begun = act.kind === 'object' ? { ...act, receipt: run.requested?.receipt } : act;
      if (run.isDone) updates.set(workload, { step: step.id, workload, act: begun });
      else updates.delete(workload);
    }
  }
  return [...updates.values()];
}

/** Judges one observation of a workload that was done. A rollout that runs again (a node was lost) is awaited. */
async function judge(
  { step, workload, act }: DoneUpdate,
  seen: Observation | undefined,
  { performer, writer, control, clock }: SessionTools,
): Promise<Failed | Halted | undefined> {
  if (seen?.state === 'done') return undefined;
  if (seen?.state === 'absent') {
    await writer.append({ kind: 'workloadReverted', step, workload });
    return { kind: 'failed', failure: vanished(workload, act, seen.changedBy) };
  }
  const outcome = await performer.wait(workload, act, { control, since: clock.now() });
  return outcome.kind === 'done' ? undefined : outcome;
}

/** Observes everything that is done with one request. Called before each wave, the point of no return and success. */
export async function confirmDone(tools: SessionTools): Promise<Failed | Halted | undefined> {
  const { deployment, performer, writer, control, clock } = tools;
  const contentOf = await contentsFor(tools);
  const updates = doneUpdates(writer.state(), contentOf);
  if (updates.length === 0) return undefined;
  const answer = await performer.insist(
    'the state of the updated workloads',
    { control, since: clock.now() },
    (signal) =>
      deployment.observe(
        updates.map(({ act }) => act),
        signal,
      ),
  );
  if (answer.kind !== 'answered') return answer;
  let first: Failed | Halted | undefined;
  for (const [n, update] of updates.entries()) first ??= await judge(update, answer.value[n], tools);
  return first;
}

/** Compares the whole deployment with the versions that are installed when the job has ended. */
export async function findOmissions(tools: SessionTools): Promise<Answered<readonly Omission[]>> {
  const { deployment, store, writer } = tools;
  const { job, targets } = writer.state();
  const inventory = await readInventory(tools);
  if (inventory.kind !== 'answered') return inventory;
  const { installed } = await store.facts();
  const versions = [
    ...installed.filter(({ seq }) => seq !== job.task.removes).map(({ version }) => version),
    ...targets.flatMap(({ version }) => version ?? []),
  ];
  return { kind: 'answered', value: incompleteParts(versions, inventory.value.workloads, deployment.referenceFor) };
}
