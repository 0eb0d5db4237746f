import { workloadKey, isWorkloadDone } from '../journal/runState.ts';
import type { Change, RolloutStep } from '../plan/plan.ts';
import { inParallel } from './parallel.ts';
import type { Failed } from './performer.ts';
import type { SessionTools } from './sessionTools.ts';

/** Updates the workloads of one rollout, wave after wave. Returns undefined if it is done, or was halted. */
export async function runRollout(step: RolloutStep, tools: SessionTools): Promise<Failed | undefined> {
  const { performer, writer, clock, control, parallel } = tools;

  /** Requests the new images once per attempt, and returns when they were requested. */
  async function requestImages({ workload, to }: Change): Promise<number | Failed> {
    const { attempt, workloads } = writer.state();
    const run = workloads.get(workloadKey(step.id, workload));
    if (run?.requested?.attempt === attempt) return run.requested.at;
    if (run === undefined) await writer.append({ kind: 'workloadStarted', step: step.id, workload });
    const refused = await performer.begin(workload, { kind: 'images', workload, images: to });
    if (refused !== undefined) return refused;
    await writer.append({ kind: 'imagesRequested', step: step.id, workload, attempt });
    return writer.state().workloads.get(workloadKey(step.id, workload))?.requested?.at ?? clock.now();
  }

  async function update(change: Change): Promise<Failed | undefined> {
    const { workload, to } = change;
    const since = await requestImages(change);
    if (typeof since !== 'number') return since;
    const outcome = await performer.wait(workload, { kind: 'images', workload, images: to }, since, control);
    if (outcome.kind === 'failed') return outcome;
    if (outcome.kind === 'done')
      await writer.append({ kind: 'workloadDone', step: step.id, workload, tookMs: outcome.tookMs });
    return undefined;
  }

  for (const wave of step.waves) {
    const open = wave.filter(({ workload }) => !isWorkloadDone(writer.state(), step.id, workload));
    const failed = await inParallel(open, parallel, control, update);
    if (failed !== undefined || !control.mayContinue()) return failed;
  }
  await writer.append({ kind: 'rolloutDone', step: step.id });
  return undefined;
}
