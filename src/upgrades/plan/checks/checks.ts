import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import { reasonOf } from '../../../foundation/errors.ts';
import { sentence } from '../../../foundation/text/sentence.ts';
import type { Check, Deployment } from '../../ports/deployment.ts';
import type { CheckInput, CheckRule, RequestInput, Verdict } from './check.ts';
import { fail, unknown } from './check.ts';
import { checkContainers } from './containerChecks.ts';
import { checkBundle, checkConfiguration, checkObjectOwners, checkObjects } from './objectChecks.ts';
import { checkDatabase, checkHooks, checkRestorePoint } from './releaseChecks.ts';
import { checkLicence, checkSettings, checkVolumes } from './requestChecks.ts';
import { checkBlocked, checkChanges, checkDrift } from './workloadChecks.ts';
import { checkHealth, checkImages, checkOwners, checkRehearsal } from './workloadChecks.ts';

/** The checks that need no answer of the deployment. */
const REQUEST_RULES: Readonly<Record<string, (input: RequestInput) => Verdict>> = {
  settings: checkSettings,
  licence: checkLicence,
};

/** Every preflight check by name, in the order in which they are shown. */
const CHECKS: Readonly<Record<string, CheckRule>> = {
  ...REQUEST_RULES,
  images: checkImages,
  containers: checkContainers,
  changes: checkChanges,
  health: checkHealth,
  owners: checkOwners,
  blocked: checkBlocked,
  rehearsal: checkRehearsal,
  drift: checkDrift,
  database: checkDatabase,
  hooks: checkHooks,
  restorePoint: checkRestorePoint,
  volumes: checkVolumes,
};

/** The checks of plans with objects, after all others. */
const OBJECT_CHECKS: Readonly<Record<string, CheckRule>> = {
  bundle: checkBundle,
  objects: checkObjects,
  objectOwners: checkObjectOwners,
  configuration: checkConfiguration,
};

/** Failures of these are corrected in the request, all others in the deployment. */
export const REQUEST_CHECKS: ReadonlySet<string> = new Set(['settings', 'licence', 'volumes']);

const RETRY_AFTER_MS = SECOND;

/** How long checks may take, and what a check without an answer counts as. */
export interface Patience {
  /** A job repeats a check that throws until the limit, and then it has failed. Before a job such a check is unknown. */
  readonly isPatient: boolean;
  readonly limitMs: number;
  /** Aborts when the server stops. */
  readonly signal?: AbortSignal;
}

const JOB_LIMIT_MS = 60 * SECOND;
/** `plan` and `upgrade` answer a person who waits. */
export const REQUEST_LIMIT_MS = 10 * SECOND;

/** The patience of a job: it decides every check. */
export function jobPatience(signal: AbortSignal): Patience {
  return { isPatient: true, limitMs: JOB_LIMIT_MS, signal };
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

const DECIDED_BY_JOB = 'If the upgrade is started now, its job runs this check again before it changes anything.';

function undecided(isPatient: boolean, trouble: string): Verdict {
  return isPatient ? fail(trouble, 'Find out why the deployment does not answer.') : unknown(trouble, DECIDED_BY_JOB);
}

/** A check that does not answer within its time limit is undecided, with the reason of its last error. */
async function withinLimit(
  name: string,
  clock: Clock,
  { isPatient, limitMs, signal }: Patience,
  check: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Check> {
  const answered = new AbortController();
  const limit = signal === undefined ? answered.signal : AbortSignal.any([answered.signal, signal]);
  let trouble = `The check got no answer within ${Math.round(limitMs / SECOND)} s.`;
  const failed = (): Check => ({ name, ...undecided(isPatient, trouble) });
  const noting = async (): Promise<Check> => {
    try {
      return { name, ...(await check(limit)) };
    } catch (error) {
      trouble = `The check could not run: ${sentence(reasonOf(error))}`;
      throw error;
    }
  };
  const timeout = clock.sleep(limitMs, limit).then(failed);
  const answer = retried(noting, clock, isPatient, limit).catch(failed);
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    answered.abort();
  }
}

/** Runs the checks of the driver, each with its own time limit and its own result. Never rejects. */
export function runDriverChecks(
  { diagnostics }: Pick<Deployment, 'diagnostics'>,
  clock: Clock,
  patience: Patience,
): Promise<readonly Check[]> {
  return Promise.all(diagnostics.map(({ name, run }) => withinLimit(name, clock, patience, async (one) => run(one))));
}

/** Runs all checks at once, so that a person sees every obstacle. `theirs` are those of the driver. */
export async function runAllChecks(
  input: CheckInput,
  patience: Patience,
  theirs = runDriverChecks(input.deployment, input.clock, patience),
): Promise<readonly Check[]> {
  const rules = input.objects.hasObjects ? { ...CHECKS, ...OBJECT_CHECKS } : CHECKS;
  const ours = Object.entries(rules).map(([name, rule]) =>
    withinLimit(name, input.clock, patience, async (signal) => rule({ ...input, signal })),
  );
  return [...(await Promise.all(ours)), ...(await theirs)];
}

/** Only in a plan for a deployment that does not answer: why it does not. */
export const DEPLOYMENT_CHECK = 'deployment';

/** The checks of a request while it is not known what the deployment runs; `trouble` says why. `theirs` are those of the driver. */
export function checksWithoutInventory(
  input: RequestInput,
  trouble: Verdict,
  theirs: readonly Check[],
): readonly Check[] {
  const todo = 'Plan again when the deployment answers.';
  const waiting = unknown('What the deployment runs is not known.', todo);
  const ours = Object.keys(CHECKS).map((name) => ({ name, ...(REQUEST_RULES[name]?.(input) ?? waiting) }));
  // No job can be started, so that none decides them.
  const answered = theirs.map((one) => (one.todo === DECIDED_BY_JOB ? { ...one, todo } : one));
  return [...ours, { name: DEPLOYMENT_CHECK, ...trouble }, ...answered];
}
