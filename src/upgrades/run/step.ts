import type { JobFacts } from '../journal/runState.ts';
import type { ActStep, Step } from '../plan/plan.ts';
import type { Act } from '../ports/deployment.ts';
import type { Failed } from './performer.ts';
import { runRollout } from './rollout.ts';
import type { SessionTools } from './sessionTools.ts';

/** Names a run of a hook or of a database phase, unique across jobs and across the attempts of one job. */
export function runName({ id }: JobFacts, part: string, attempt: number): string {
  return `${id}/${part}#${attempt}`;
}

async function actOf(step: ActStep, run: string, licence: SessionTools['licence']): Promise<Act> {
  if (step.kind === 'hook') return { kind: 'hook', hook: step.hook, run };
  if (step.kind === 'database') return { kind: 'database', phase: step.phase, run };
  if (step.kind === 'licence') return { kind: 'licence', content: await licence(step.upload) };
  return { kind: 'volumes', volumes: step.volumes };
}

/** Runs one step. Returns undefined if it is done, or was halted; the journal tells which. */
export async function runStep(step: Step, tools: SessionTools): Promise<Failed | undefined> {
  const { writer, performer, control } = tools;
  const { job, attempt, started } = writer.state();
  if (started.get(step.id) !== attempt) await writer.append({ kind: 'stepStarted', step: step.id, attempt });
  if (step.kind === 'rollout') return runRollout(step, tools);
  const act = await actOf(step, runName(job, step.id, attempt), tools.licence);
  const outcome = await performer.perform(step.title, act, control);
  if (outcome.kind === 'failed') return outcome;
  if (outcome.kind === 'done')
    await writer.append({ kind: 'stepDone', step: step.id, tookMs: outcome.tookMs, lines: outcome.lines });
  return undefined;
}
