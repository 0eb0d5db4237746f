import { versionName } from '../../model/version.ts';
import type { Act } from '../ports/deployment.ts';
import type { Failed, Halted } from './calls/performer.ts';
import type { SessionTools } from './sessionTools.ts';
import { runName } from './step.ts';

/**
 * Looks at the database once more before the point of no return. A new primary that has died since its last step is found while
 * everything can still be undone.
 */
export async function confirmDatabase(tools: SessionTools): Promise<Failed | Halted | undefined> {
  const { deployment, performer, writer, control, clock } = tools;
  const { job, plan, done, started } = writer.state();
  const step = plan?.steps.findLast(({ kind, id, isFinal }) => kind === 'database' && !isFinal && done.has(id));
  const attempt = step && started.get(step.id)?.attempt;
  if (step?.kind !== 'database' || attempt === undefined) return undefined;
  const { kind, phase, primary, standby, title } = step;
  const run = runName(job, step.id, attempt);
  const act: Act = { kind, phase, run, primary, standby, version: versionName(job.task.to) };
  const patience = { control, since: clock.now() };
  const answer = await performer.insist('the database', patience, (signal) => deployment.observe([act], signal));
  if (answer.kind !== 'answered') return answer;
  const [seen] = answer.value;
  if (seen?.state === 'failed') return { kind: 'failed', failure: seen.failure };
  if (seen?.state !== 'running' && seen?.state !== 'unknown') return undefined;
  const outcome = await performer.wait(title, act, patience);
  return outcome.kind === 'done' ? undefined : outcome;
}
