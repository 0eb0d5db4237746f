import type { JobKind, JobKinds } from '../jobs/jobRunner.ts';
import { logJobEvents } from './jobLog.ts';
import { KINDS } from './ports/upgradeStore.ts';
import { licenceReader } from './request/requestedLicence.ts';
import type { PlannerDependencies } from './request/planner.ts';
import type { SessionOptions } from './run/session.ts';
import { upgradeJob } from './run/session.ts';

interface JobKindsDependencies extends Omit<PlannerDependencies, 'licenceKey'> {
  readonly log: SessionOptions['log'];
  readonly limits: Pick<SessionOptions, 'parallel' | 'deadlineMs' | 'observeEveryMs'>;
}

/** The kinds of job that upgrade a deployment: none if none is configured. */
export function upgradeJobKinds(
  dependencies: JobKindsDependencies,
  { problemOf }: Pick<SessionOptions, 'problemOf'>,
): JobKinds {
  const { deployment, store, objects, jobs, uploads, clock, log, limits } = dependencies;
  if (deployment === undefined) return {};
  const options = {
    deployment,
    store,
    objects,
    jobs,
    licence: licenceReader(uploads),
    problemOf,
    clock,
    log,
    ...limits,
  };
  const kind: JobKind = {
    cancelsItself: true,
    step: (job, ...more) => upgradeJob({ ...options, ...logJobEvents(options, job, log) }).step(job, ...more),
  };
  return Object.fromEntries(KINDS.map((name) => [name, kind]));
}
