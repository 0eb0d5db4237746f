import type { DatabasePhase } from '../../../model/workload.ts';
import type { Failure } from '../../../model/failure.ts';
import type { InjectedFault } from '../state/injectedFault.ts';
import type { Snapshot } from '../state/documents.ts';
import { DATABASE, activeFaults, databaseIn, hooksIn, runIn, runName, settingsIn } from '../state/documents.ts';
import { phaseMsOf } from '../state/durations.ts';
import type { ActOf, BeginResult } from './beginResult.ts';
import { UNCHANGED, countStrike, refused, started } from './beginResult.ts';
import type { DatabaseState } from '../state/databaseState.ts';
import { currentDatabase, downInstances, phaseObstacle } from './database.ts';
import type { RunState } from '../state/runState.ts';
import { isRunningOrDone, runStatus } from './run.ts';

function newRun(begun: number, durationMs: number, fault: InjectedFault | undefined): RunState {
  return { begun, durationMs, ...(fault && { faultId: fault.id }) };
}

export function beginHook({ hook, run }: ActOf<'hook'>, snapshot: Snapshot): BeginResult {
  const { documents, now } = snapshot;
  const name = runName(run, hook);
  if (isRunningOrDone(runIn(documents, name), now)) return UNCHANGED;
  if (!hooksIn(documents).includes(hook))
    return refused({
      reason: `The simulated deployment has no hook \`${hook}\`.`,
      lines: [],
      advice: 'Fill the simulated deployment with an inventory that has the hook, or reset it.',
    });
  const fault = activeFaults(snapshot).find((one) => one.kind === 'hookFails' && (one.hook ?? hook) === hook);
  const state = newRun(now, settingsIn(documents).hookMs, fault);
  return started([[name, state], ...countStrike(fault)]);
}

function runningPhase(database: DatabaseState | undefined, now: number): DatabaseState['last'] {
  const last = database?.last;
  return last !== undefined && runStatus(last.state, now) === 'running' ? last : undefined;
}

function wrongPhase(phase: DatabasePhase, obstacle: string): Failure {
  return {
    reason: `The phase \`${phase}\` of the simulated database cannot start: ${obstacle}.`,
    lines: [],
    advice: 'Run the phases in their order. If that is not possible, reset the simulated deployment.',
  };
}

export function beginPhase({ phase, run }: ActOf<'database'>, snapshot: Snapshot): BeginResult {
  const { documents, now } = snapshot;
  const name = runName(run, phase);
  if (isRunningOrDone(runIn(documents, name), now)) return UNCHANGED;
  const database = databaseIn(documents);
  const current = runningPhase(database, now);
  // A second run of the phase that is running joins it.
  if (current?.phase === phase)
    return started([
      [name, current.state],
      [DATABASE, { ...database, last: { ...current, run } }],
    ]);
  if (database === undefined) return refused(wrongPhase(phase, 'this deployment has no database'));
  const obstacle = phaseObstacle(database, phase, now);
  if (obstacle !== undefined) return refused(wrongPhase(phase, obstacle));
  const fault = activeFaults(snapshot).find((one) => one.kind === 'databaseDown' && (one.phase ?? 'engine') === phase);
  const state = newRun(now, phaseMsOf(phase, settingsIn(documents)), fault);
  const down = downInstances(database, now);
  const next: DatabaseState = {
    ...currentDatabase(database, now),
    ...(down.length > 0 && { down }),
    last: { phase, run, state },
  };
  return started([
    // `restore` interrupts the running phase, which must therefore never be observed as done.
    ...(current === undefined ? [] : [[runName(current.run, current.phase), undefined] as const]),
    [name, state],
    [DATABASE, next],
    ...countStrike(fault),
  ]);
}
