import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import { reasonOf } from '../../../foundation/errors.ts';
import type { Check } from '../../ports/deployment.ts';
import type { CheckInput, CheckRule } from './check.ts';
import { fail } from './check.ts';
import { checkDatabase, checkHooks, checkRestorePoint } from './releaseChecks.ts';
import { checkChanges, checkContainers, checkDrift, checkHealth, checkImages, checkOwners } from './workloadChecks.ts';

/** Every preflight check by name, in the order in which they are shown. */
const CHECKS: Readonly<Record<string, CheckRule>> = {
  images: checkImages,
  containers: checkContainers,
  changes: checkChanges,
  health: checkHealth,
  owners: checkOwners,
  drift: checkDrift,
  database: checkDatabase,
  hooks: checkHooks,
  restorePoint: checkRestorePoint,
};

const ANSWER_WITHIN_MS = 60 * SECOND;
const RETRY_AFTER_MS = SECOND;

export interface Patience {
  /** Whether a check that throws is repeated until the time limit, instead of failing at once. */
  readonly isPatient: boolean;
  /** Aborts when the server stops. */
  readonly signal?: AbortSignal;
}

/** Repeats a check that throws, until the time limit. */
async function retried<T>(check: () => Promise<T>, clock: Clock, isPatient: boolean, limit: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!isPatient || limit.aborted) throw error;
      await clock.sleep(RETRY_AFTER_MS, limit);
    }
  }
}

/** A check that does not answer within its time limit fails, with the reason of its last error. */
async function withinLimit(
  name: string,
  clock: Clock,
  { isPatient, signal }: Patience,
  check: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const answered = new AbortController();
  const limit = signal === undefined ? answered.signal : AbortSignal.any([answered.signal, signal]);
  let trouble = `There was no answer within ${ANSWER_WITHIN_MS / SECOND} s.`;
  const failed = (): readonly Check[] => [{ name, ...fail(trouble, 'See why it cannot be asked, then try again.') }];
  const noting = async (): Promise<readonly Check[]> => {
    try {
      return await check();
    } catch (error) {
      trouble = `It could not be asked: ${reasonOf(error)}.`;
      throw error;
    }
  };
  const timeout = clock.sleep(ANSWER_WITHIN_MS, limit).then(failed);
  const answer = retried(noting, clock, isPatient, limit).catch(failed);
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    answered.abort();
  }
}

/** Runs all checks at once, so that a person sees every obstacle. The deployment adds its own. */
export async function runAllChecks(input: CheckInput, patience: Patience): Promise<readonly Check[]> {
  const { clock, deployment } = input;
  const ours = Object.entries(CHECKS).map(([name, rule]) =>
    withinLimit(name, clock, patience, async () => [{ name, ...(await rule(input)) }]),
  );
  const theirs = withinLimit('deployment', clock, patience, () => deployment.diagnose());
  return (await Promise.all([...ours, theirs])).flat();
}
