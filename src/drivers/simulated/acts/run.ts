import type { Failure, Observation } from '../../../upgrades/ports/deployment.ts';
import type { Hook } from '../../../model/hook.ts';
import type { DatabasePhase } from '../../../model/workload.ts';
import { removalAdvice } from '../faults/injectedFault.ts';

/** A hook or a phase of the database that was begun. */
export interface RunState {
  readonly begun: number;
  readonly durationMs: number;
  /** The id of the fault that makes it fail. */
  readonly faultId?: string;
}

export type RunStatus = 'running' | 'done' | 'failed';

export function runStatus({ begun, durationMs, faultId: struckBy }: RunState, now: number): RunStatus {
  if (now - begun < durationMs) return 'running';
  return struckBy === undefined ? 'done' : 'failed';
}

const HOOK_LINES: Readonly<Record<Hook, readonly string[]>> = {
  backup: ['[simulated] a restore point was made', '[simulated] 3 databases and 4 volumes are in it'],
  'index-prerequisite': ['[simulated] the search index was checked', '[simulated] it can be carried over'],
  'portal-content': ['[simulated] 214 pages and 37 menus of the portal were imported'],
  logging: ['[simulated] 6 dashboards and 11 alerts of the logging were installed'],
  'auto-deployed-services': ['[simulated] 9 services were deployed again', '[simulated] all of them answer'],
  'search-indices': ['[simulated] 5 search indices were rebuilt', '[simulated] 120,418 entries are in them'],
};

function hookFailure(hook: Hook, id: string): Failure {
  return {
    reason: `The simulated hook ${hook} failed: it ended with code 1.`,
    lines: [
      `[simulated] ${hook} is starting`,
      '[simulated] ERROR: the portal at https://portal.demo.invalid did not answer within 30 seconds',
      '[simulated] exit code 1',
    ],
    advice: `See why what the log lines name does not answer (here the portal), and put it right. ${removalAdvice(id)}`,
  };
}

/** The engine tells how it went for each database, in one JSON text. */
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

function phaseFailure(phase: DatabasePhase, id: string): Failure {
  const instance = phase === 'standby' ? 'the former primary, which is to be the new standby,' : 'the new primary';
  return {
    reason: `The phase ${phase} of the simulated database failed: ${instance} does not come up.`,
    lines: [
      `[simulated] LOG: starting ${instance.replace(/,.*/, '')}`,
      '[simulated] FATAL: could not load library "demo_extension": there is no such file',
      '[simulated] LOG: the database is shut down',
    ],
    advice: `Install the extension that the log lines name where that instance runs. ${removalAdvice(id)}`,
  };
}

function observeRun(
  run: RunState,
  now: number,
  what: { fault(id: string): Failure; lines: readonly string[] },
): Observation {
  const standing = runStatus(run, now);
  if (standing === 'done') return { state: 'done', lines: what.lines };
  if (standing === 'failed') return { state: 'failed', fault: what.fault(run.faultId ?? '') };
  const [elapsed, whole] = [now - run.begun, run.durationMs].map((ms) => (ms / 1000).toFixed(1));
  return { state: 'running', detail: `it has run for ${elapsed} of about ${whole} s` };
}

export function observeHook(hook: Hook, run: RunState, now: number): Observation {
  return observeRun(run, now, { fault: (id) => hookFailure(hook, id), lines: HOOK_LINES[hook] });
}

export function observePhase(phase: DatabasePhase, run: RunState, now: number): Observation {
  return observeRun(run, now, { fault: (id) => phaseFailure(phase, id), lines: [PHASE_LINES[phase]] });
}
