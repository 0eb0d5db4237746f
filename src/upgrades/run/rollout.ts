import { workloadKey, isWorkloadDone } from '../journal/runState.ts';
import { OBJECTS_AT_ONCE } from '../plan/estimate.ts';
import type { Change, RolloutStep } from '../values/plan.ts';
import { isUpdate } from '../values/plan.ts';
import { changeAct, contentsFor } from './changeAct.ts';
import { inParallel } from './parallel.ts';
import { confirmDone } from './confirm.ts';
import { namingWorkload } from './calls/failures.ts';
import type { Failed, Halted } from './calls/performer.ts';
import type { SessionTools } from './sessionTools.ts';

/** Updates the workloads of one rollout, or applies other objects, wave after wave. Returns undefined if it is done, or was halted. */
export async function runRollout(step: RolloutStep, tools: SessionTools): Promise<Failed | undefined> {
  const { performer, writer, clock, control } = tools;
  const contentOf = await contentsFor(tools);
  const isOfObjects = !step.waves.some((wave) => wave.some(isUpdate));
  const parallel = isOfObjects ? OBJECTS_AT_ONCE : tools.parallel;

  const runOf = (workload: string) => writer.state().workloads.get(workloadKey(step.id, workload));

  const actOf = (change: Change) => changeAct(change, { task: writer.state().job.task, contentOf });

  /** Requests the new images once per attempt. */
  async function requestImages(change: Change): Promise<Failed | Halted | undefined> {
    const { workload } = change;
    const { attempt } = writer.state();
    const run = runOf(workload);
    if (run?.requested?.attempt === attempt) return undefined;
    if (run === undefined) await writer.append({ kind: 'workloadStarted', step: step.id, workload });
    const patience = { control, since: clock.now() };
    const begun = await performer.begin(workload, actOf(change), patience);
    if (begun.kind === 'failed') return { ...begun, failure: namingWorkload(workload, begun.failure) };
    if (begun.kind === 'halted') return begun;
    await writer.append({ kind: 'imagesRequested', step: step.id, workload, attempt, receipt: begun.receipt });
    return undefined;
  }

  async function update(change: Change): Promise<Failed | undefined> {
    const { workload } = change;
    const stopped = await requestImages(change);
    if (stopped !== undefined) return stopped.kind === 'failed' ? stopped : undefined;
    const { at: since = clock.now(), receipt } = runOf(workload)?.requested ?? {};
    const outcome = await performer.wait(workload, { ...actOf(change), receipt }, { control, since });
    if (outcome.kind === 'failed') return outcome;
    if (outcome.kind === 'done')
      await writer.append({ kind: 'workloadDone', step: step.id, workload, tookMs: outcome.tookMs });
    return undefined;
  }

  for (const wave of step.waves) {
    const lost = await confirmDone(tools);
    if (lost !== undefined) return lost.kind === 'failed' ? lost : undefined;
    const open = wave.filter(({ workload }) => !isWorkloadDone(writer.state(), step.id, workload));
    const failed = await inParallel(open, parallel, control, update);
    if (failed !== undefined || !control.mayContinue()) return failed;
  }
  await writer.append({ kind: 'rolloutDone', step: step.id });
  return undefined;
}
