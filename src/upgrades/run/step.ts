import { versionName } from '../../model/version.ts';
import type { JobFacts } from '../journal/runState.ts';
import type { ActStep, Step } from '../values/plan.ts';
import type { Act } from '../ports/deployment.ts';
import type { Failed } from './calls/performer.ts';
import { runRollout } from './rollout.ts';
import type { SessionTools } from './sessionTools.ts';

/** Names a run of a hook or of a database phase, unique across jobs and across the attempts of one job. */
export function runName({ id }: JobFacts, part: string, attempt: number): string {
  return `${id}/${part}#${attempt}`;
}

/** Only the content that was verified when the job was accepted is given to the deployment. */
async function licenceAct(upload: string, { task }: JobFacts, licence: SessionTools['licence']): Promise<Act | Failed> {
  const content = await licence(upload, task.licenceHash);
  if (content !== undefined) return { kind: 'licence', content };
  const reason = 'The uploaded licence has changed since it was verified at the start of the job.';
  const advice = 'Find out who changed the stored upload, and upload the licence again.';
  return {
    kind: 'failed',
    failure: { reason, lines: [], advice, nextActions: [{ action: 'uploadLicence', parameters: {} }] },
  };
}

async function actOf(
  step: ActStep,
  job: JobFacts,
  attempt: number,
  licence: SessionTools['licence'],
): Promise<Act | Failed> {
  const run = runName(job, step.id, attempt);
  if (step.kind === 'hook') return { kind: 'hook', hook: step.hook, run };
  if (step.kind === 'database') {
    const { kind, phase, primary, standby } = step;
    return { kind, phase, run, primary, standby, version: versionName(job.task.to) };
  }
  if (step.kind === 'licence') return licenceAct(step.upload, job, licence);
  return { kind: 'volumes', volumes: step.volumes };
}

/** Runs one step. Returns undefined if it is done, or was halted; the journal tells which. */
export async function runStep(step: Step, tools: SessionTools): Promise<Failed | undefined> {
  const { writer, performer, control, clock } = tools;
  const { job, attempt } = writer.state();
  if (writer.state().started.get(step.id)?.attempt !== attempt)
    await writer.append({ kind: 'stepStarted', step: step.id, attempt });
  if (step.kind === 'rollout') return runRollout(step, tools);
  const act = await actOf(step, job, attempt, tools.licence);
  if (act.kind === 'failed') return act;
  const since = writer.state().started.get(step.id)?.at ?? clock.now();
  const outcome = await performer.perform(step.title, act, { control, since });
  if (outcome.kind === 'failed') return outcome;
  if (outcome.kind === 'done')
    await writer.append({ kind: 'stepDone', step: step.id, tookMs: outcome.tookMs, lines: outcome.lines });
  return undefined;
}
