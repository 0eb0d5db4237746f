import type { Failure } from '../../../model/failure.ts';
import type { Observation } from '../../../upgrades/ports/deployment.ts';
import type { Hook } from '../../../model/hook.ts';
import type { DatabasePhase } from '../../../model/workload.ts';
import { removalAdvice } from '../faults/injectedFault.ts';

/** A hook or a phase of the database that was begun. Its status is derived from the time that has passed since. */
export interface RunState {
  readonly begun: number;
  readonly durationMs: number;
  /** The injected fault that makes it fail. */
  readonly faultId?: string;
}

export function runStatus({ begun, durationMs, faultId }: RunState, now: number): 'running' | 'done' | 'failed' {
  if (now - begun < durationMs) return 'running';
  return faultId === undefined ? 'done' : 'failed';
}

export function isRunningOrDone(run: RunState | undefined, now: number): boolean {
  return run !== undefined && runStatus(run, now) !== 'failed';
}

const HOOK_LINES: Readonly<Record<Hook, readonly string[]>> = {
  backup: ['[simulated] a restore point was made', '[simulated] 3 databases and 4 volumes are in it'],
  'index-prerequisite': ['[simulated] the search index was checked', '[simulated] it can be carried over'],
  'portal-content': ['[simulated] 214 pages and 37 menus of the portal were imported'],
  logging: ['[simulated] 6 dashboards and 11 alerts of the logging were installed'],
  'auto-deployed-services': ['[simulated] 9 services were deployed again', '[simulated] all of them answer'],
  'search-indices': ['[simulated] 5 search indices were rebuilt', '[simulated] 120,418 entries are in them'],
};

function hookFailure(hook: Hook, faultId: string): Failure {
  return {
    reason: `The simulated hook ${hook} failed: it ended with code 1.`,
    lines: [
      `[simulated] ${hook} is starting`,
      '[simulated] ERROR: the portal at https://portal.demo.invalid did not answer within 30 seconds',
      '[simulated] exit code 1',
    ],
    advice: `See why what the log lines name does not answer (here the portal), and put it right. ${removalAdvice(faultId)}`,
  };
}

/** The engine reports its result for each database as one JSON text. */
const ENGINE_LINE = JSON.stringify({
  databases: ['system', 'content', 'analytics'].map((name) => ({ name, status: 'upgraded' })),
  simulated: true,
});

const PHASE_LINES: Readonly<Record<DatabasePhase, string>> = {
  readOnly: '[simulated] the primary is read-only, and the standby has all that was written',
  promote: '[simulated] the standby was promoted, and is read-only still',
  engine: ENGINE_LINE,
  afterEngine: '[simulated] extensions and statistics are up to date',
  readWrite: '[simulated] the new primary takes writes',
  roles: '[simulated] the roles were told to all clients',
  standby: '[simulated] the former primary is the standby, and is streaming',
  restore: '[simulated] the former primary takes writes again',
};

function phaseFailure(phase: DatabasePhase, faultId: string): Failure {
  const instance = phase === 'standby' ? 'the former primary, which is to be the new standby,' : 'the new primary';
  return {
    reason: `The phase ${phase} of the simulated database failed: ${instance} does not come up.`,
    lines: [
      `[simulated] LOG: starting ${instance.replace(/,.*/, '')}`,
      '[simulated] FATAL: could not load library "demo_extension": there is no such file',
      '[simulated] LOG: the database is shut down',
    ],
    advice: `Install the extension that the log lines name where that instance runs. ${removalAdvice(faultId)}`,
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
  return { state: 'running', detail: `it has run for ${elapsed} of about ${whole} s` };
}

export function observeHook(hook: Hook, run: RunState | undefined, now: number): Observation {
  return observeRun(run, now, { lines: HOOK_LINES[hook], failure: (id) => hookFailure(hook, id) });
}

export function observePhase(phase: DatabasePhase, run: RunState | undefined, now: number): Observation {
  return observeRun(run, now, { lines: [PHASE_LINES[phase]], failure: (id) => phaseFailure(phase, id) });
}
