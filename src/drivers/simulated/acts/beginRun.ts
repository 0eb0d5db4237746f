import type { Failure } from '../../../upgrades/ports/deployment.ts';
import type { DatabasePhase } from '../../../model/workload.ts';
import type { ActOf, BeginResult, Snapshot } from './beginResult.ts';
import { UNCHANGED, countStrike, refused, started } from './beginResult.ts';
import type { DatabaseState } from './database.ts';
import { phaseObstacle, currentDatabase } from './database.ts';
import { hookFault, phaseFault } from '../faults/injectedFault.ts';
import type { RunState } from './run.ts';
import { runStatus } from './run.ts';
import { DATABASE, databaseIn, faultsIn, hooksIn, runIn, runName, settingsIn } from '../state/documents.ts';
import { phaseMsOf } from '../state/timing.ts';

function isRunningOrDone(name: string, { documents: found, now }: Snapshot): boolean {
  const run = runIn(found, name);
  return run !== undefined && runStatus(run, now) !== 'failed';
}

export function beginHook({ hook, run }: ActOf<'hook'>, moment: Snapshot): BeginResult {
  const { documents: found, now } = moment;
  const name = runName(run, hook);
  if (isRunningOrDone(name, moment)) return UNCHANGED;
  if (!hooksIn(found).includes(hook))
    return refused({
      reason: `The simulated deployment has no hook ${hook}.`,
      lines: [],
      advice: 'Fill the deployment with an inventory that names the hook, or reset it; then start again.',
    });
  const fault = hookFault(faultsIn(found), hook, now);
  const state: RunState = {
    begun: now,
    durationMs: settingsIn(found).hookMs,
    ...(fault && { faultId: fault.id }),
  };
  return started(new Map<string, unknown>([[name, state], ...countStrike(fault)]));
}

function runningPhase(database: DatabaseState | undefined, now: number): DatabaseState['last'] {
  const last = database?.last;
  return last !== undefined && runStatus(last.state, now) === 'running' ? last : undefined;
}

function wrongPhase(phase: DatabasePhase, obstacle: string): Failure {
  return {
    reason: `The phase ${phase} of the simulated database cannot be begun: ${obstacle}.`,
    lines: [],
    advice:
      'Run the phases in their order, or begin restore where the new primary takes no writes yet; else reset the simulated deployment.',
  };
}

export function beginPhase({ phase, run }: ActOf<'database'>, moment: Snapshot): BeginResult {
  const { documents: found, now } = moment;
  const name = runName(run, phase);
  if (isRunningOrDone(name, moment)) return UNCHANGED;
  const database = databaseIn(found);
  const underWay = runningPhase(database, now);
  // Another attempt at what is under way joins it.
  if (underWay?.phase === phase)
    return started(
      new Map<string, unknown>([
        [name, underWay.state],
        [DATABASE, { ...database, last: { ...underWay, run } }],
      ]),
    );
  const obstacle = database === undefined ? 'this deployment has no database' : phaseObstacle(database, phase, now);
  if (database === undefined || obstacle !== undefined) return refused(wrongPhase(phase, obstacle ?? ''));
  const settled = currentDatabase(database, now);
  const fault = phaseFault(faultsIn(found), phase, now);
  const state: RunState = {
    begun: now,
    durationMs: phaseMsOf(phase, settingsIn(found)),
    ...(fault && { faultId: fault.id }),
  };
  const next: DatabaseState = { ...settled, last: { phase, run, state } };
  return started(
    new Map<string, unknown>([
      // What `restore` breaks off has not been done, so nobody may see it end.
      ...(underWay === undefined ? [] : [[runName(underWay.run, underWay.phase), undefined] as const]),
      [name, state],
      [DATABASE, next],
      ...countStrike(fault),
    ]),
  );
}
