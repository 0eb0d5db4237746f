// Drives the phases of a release through the database driver, as a job does.
import type { RunCommand } from '../../../src/drivers/database/command.ts';
import { createPostgresPair } from '../../../src/drivers/database/postgresPair.ts';
import type { DocumentStore } from '../../../src/foundation/documentStore.ts';
import { systemClock } from '../../../src/foundation/clock.ts';
import type { DatabasePhase } from '../../../src/model/workload.ts';
import type { Database } from '../../../src/upgrades/ports/database.ts';
import type { DatabaseAct, Observation } from '../../../src/upgrades/ports/deployment.ts';
import { until } from '../run/until.ts';
import type { PostgresPair } from './pair.ts';

export const SWITCH_OVER = ['readOnly', 'promote', 'engine', 'afterEngine', 'readWrite', 'roles', 'standby'] as const;

const LOOK_EVERY_MS = 5;

export function openPair(
  pair: PostgresPair,
  documents: DocumentStore,
  runCommand: RunCommand = pair.command,
): Database {
  return createPostgresPair({
    instances: pair.instances,
    runCommand,
    documents,
    clock: systemClock,
    storeSystemId: undefined,
  });
}

export interface Switch {
  readonly primary: string;
  readonly standby: string;
  /** Unique for each switch-over. */
  readonly job: string;
}

export function actOf(phase: Exclude<DatabasePhase, 'restore'>, { primary, standby, job }: Switch): DatabaseAct {
  return { kind: 'database', phase, run: `${job}/${phase}`, primary, standby, version: '2.0' };
}

export function restoreOf(undone: readonly DatabaseAct[], job: string): DatabaseAct {
  return { kind: 'database', phase: 'restore', run: `${job}/restore`, undoes: undone.map(({ run }) => run) };
}

/** Begins an act and waits for its end. */
export async function perform(database: Database, act: DatabaseAct, fence: number): Promise<Observation> {
  const begun = await database.begin(act, fence);
  if (begun.kind !== 'begun') throw new Error(`${act.phase} was not begun: ${JSON.stringify(begun)}`);
  let seen: Observation | undefined;
  const hasEnded = async (): Promise<boolean> => {
    [seen] = await database.observe([act]);
    return seen?.state !== 'running';
  };
  await until(`${act.phase} has ended`, hasEnded, LOOK_EVERY_MS);
  return seen ?? { state: 'absent' };
}

/** Performs all phases of a switch-over. Throws if one fails. */
export async function switchOver(database: Database, roles: Switch, fence: number): Promise<void> {
  for (const phase of SWITCH_OVER) {
    const seen = await perform(database, actOf(phase, roles), fence);
    if (seen.state !== 'done') throw new Error(`${phase}: ${JSON.stringify(seen)}`);
  }
}
