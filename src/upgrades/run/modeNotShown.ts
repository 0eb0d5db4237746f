import { SECOND } from '../../foundation/clock.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { Failure } from '../../model/failure.ts';
import { DeploymentRefusal, outageOf } from '../../model/failure.ts';
import type { SessionTools } from './sessionTools.ts';

/** The end of a job does not wait long for a deployment that does not answer, and a cancel takes effect within 5 s. */
const MODE_LIMIT_MS = 3 * SECOND;
const CANCEL_MODE_LIMIT_MS = 800;

/** Why the workloads could not be told that read-only mode ends; undefined if they could. The mode is shown after the job. */
export async function whyModeIsNotShown({
  deployment,
  clock,
  signal,
  writer,
}: SessionTools): Promise<Failure | undefined> {
  const isCancelled = writer.state().undo?.cause.kind === 'cancelled';
  const limitMs = isCancelled ? CANCEL_MODE_LIMIT_MS : MODE_LIMIT_MS;
  const answered = new AbortController();
  const late = new AbortController();
  void clock.sleep(limitMs, AbortSignal.any([answered.signal, signal])).then(() => late.abort());
  try {
    await deployment.rehearseMode(AbortSignal.any([late.signal, signal]));
    return undefined;
  } catch (error) {
    if (error instanceof DeploymentRefusal) return error.failure;
    const { reason, remedy = { advice: 'Check that the API of the deployment is up.' } } = outageOf(error);
    const why = late.signal.aborted ? `there was no answer within ${limitMs / SECOND} s` : reason;
    return { reason: `The deployment did not take it: ${sentence(why)}`, lines: [], ...remedy };
  } finally {
    answered.abort();
  }
}
