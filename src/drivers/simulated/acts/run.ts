import type { Failure } from '../../../model/failure.ts';
import type { Observation } from '../../../upgrades/ports/deployment.ts';
import type { Hook } from '../../../model/hook.ts';
import type { DatabaseInstance, DatabasePhase } from '../../../model/workload.ts';
import type { RunState } from '../state/runState.ts';
import { faultRemedy } from '../state/injectedFault.ts';

export function runStatus({ begun, durationMs, faultId }: RunState, now: number): 'running' | 'done' | 'failed' {
  if (now - begun < durationMs) return 'running';
  return faultId === undefined ? 'done' : 'failed';
}

export function isRunningOrDone(run: RunState | undefined, now: number): boolean {
  return run !== undefined && runStatus(run, now) !== 'failed';
}

const HOOK_LINES: Readonly<Record<Hook, readonly string[]>> = {
  backup: ['[simulated] a restore point was created', '[simulated] it contains 3 databases and 4 volumes'],
  'index-prerequisite': ['[simulated] the search index was checked', '[simulated] it can be upgraded'],
  'portal-content': ['[simulated] 214 pages and 37 menus of the portal were imported'],
  logging: ['[simulated] 6 dashboards and 11 alerts for logging were installed'],
  'auto-deployed-services': ['[simulated] 9 services were deployed again', '[simulated] all of them answer'],
  'search-indices': ['[simulated] 5 search indices were rebuilt', '[simulated] they contain 120,418 entries'],
};

function hookFailure(hook: Hook, faultId: string): Failure {
  return {
    reason: `The simulated hook \`${hook}\` failed with exit code 1.`,
    lines: [
      `[simulated] ${hook} is starting`,
      '[simulated] ERROR: the portal at https://portal.demo.invalid did not answer within 30 seconds',
      '[simulated] exit code 1',
    ],
    ...faultRemedy(faultId, 'Find out why the portal does not answer, and repair it.'),
  };
}

/** The engine reports its result for each database as one JSON text. */
const ENGINE_LINE = JSON.stringify({
  databases: ['system', 'content', 'analytics'].map((name) => ({ name, status: 'upgraded' })),
  simulated: true,
});

const PHASE_LINES: Readonly<Record<DatabasePhase, string>> = {
  readOnly: '[simulated] the primary is read-only, and the standby has all its data',
  promote: '[simulated] the standby was promoted and is still read-only',
  engine: ENGINE_LINE,
  afterEngine: '[simulated] extensions and statistics are up to date',
  readWrite: '[simulated] the new primary accepts writes',
  roles: '[simulated] all clients know the new roles',
  standby: '[simulated] the former primary is the standby and replicates',
  restore: '[simulated] the former primary accepts writes again',
};

/** The phases that work on the instance that was the primary before the job. The others work on the one that was the standby. */
const PHASES_OF_FIRST: ReadonlySet<DatabasePhase> = new Set(['readOnly', 'standby', 'restore']);

/** The instance that does not start, and its role at that time. Before the standby is promoted, there is no new primary. */
export function failingInstance(
  phase: DatabasePhase,
  { instances, stage }: FailingDatabase,
): { readonly name: string; readonly role: string } {
  const isFirst = PHASES_OF_FIRST.has(phase);
  const isPromoted = stage !== 'well' && stage !== 'readOnly';
  const role = isFirst === isPromoted ? 'standby' : 'primary';
  const name = instances.find((one) => one.role === role)?.name ?? 'database';
  return { name, role: isPromoted ? `${isFirst ? 'former' : 'new'} primary` : role };
}

function phaseFailure(phase: DatabasePhase, database: FailingDatabase, faultId: string): Failure {
  const { name: instance, role } = failingInstance(phase, database);
  const name = `\`${instance}\``;
  return {
    reason: `The phase \`${phase}\` of the simulated database failed: ${name} (in this phase the ${role}) does not start.`,
    lines: [
      `[simulated] LOG: starting ${name}`,
      '[simulated] FATAL: could not load library "demo_extension": there is no such file',
      '[simulated] LOG: the database is shut down',
    ],
    // Without the role: a rollback may have changed it before a person reads this.
    ...faultRemedy(faultId, `Install the missing extension "demo_extension" on ${name}.`),
  };
}

function observeRun(
  run: RunState | undefined,
  now: number,
  outcome: { readonly lines: readonly string[]; failure(faultId: string): Failure },
): Observation {
  if (run === undefined) return { state: 'absent' };
  const status = runStatus(run, now);
  if (status === 'done') return { state: 'done', lines: outcome.lines };
  if (status === 'failed') return { state: 'failed', failure: outcome.failure(run.faultId ?? '') };
  const [elapsed, whole] = [now - run.begun, run.durationMs].map((ms) => (ms / 1000).toFixed(1));
  return { state: 'running', detail: `running for ${elapsed} of about ${whole} s` };
}

export function observeHook(hook: Hook, run: RunState | undefined, now: number): Observation {
  return observeRun(run, now, { lines: HOOK_LINES[hook], failure: (id) => hookFailure(hook, id) });
}

/** The database at the time of a failure. */
interface FailingDatabase {
  readonly instances: readonly DatabaseInstance[];
  readonly stage: string;
}

const NO_DATABASE: FailingDatabase = { instances: [], stage: 'well' };

export function observePhase(
  phase: DatabasePhase,
  run: RunState | undefined,
  database: FailingDatabase | undefined,
  now: number,
): Observation {
  const failure = (id: string): Failure => phaseFailure(phase, database ?? NO_DATABASE, id);
  return observeRun(run, now, { lines: [PHASE_LINES[phase]], failure });
}
