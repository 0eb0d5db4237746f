import type { DatabaseInstance, DatabasePhase } from '../../../model/workload.ts';
import type { RunState } from './run.ts';
import { runStatus } from './run.ts';

/**
 * well ─readOnly→ readOnly ─promote→ promoted ─engine→ upgraded ─readWrite→ open ─standby→ well
 * `restore` leads from each stage up to `upgraded` back to `well`.
 */
type Stage = 'well' | 'readOnly' | 'promoted' | 'upgraded' | 'open';

export interface DatabaseState {
  readonly instances: readonly DatabaseInstance[];
  readonly stage: Stage;
  /** The phase that was begun last; what it changes counts from its end on. */
  readonly last?: { readonly phase: DatabasePhase; readonly run: string; readonly state: RunState };
}

type Change = (instances: readonly DatabaseInstance[]) => readonly DatabaseInstance[];

const unchanged: Change = (instances) => instances;

function ofPrimary(change: Partial<DatabaseInstance>): Change {
  return (instances) => instances.map((one) => (one.role === 'primary' ? { ...one, ...change } : one));
}

/** The former primary is kept as it is, read-only: that is the way back. */
const swapped: Change = (instances) =>
  instances.map((one) => ({ ...one, role: one.role === 'primary' ? 'standby' : 'primary', isReadOnly: true }));

function nextEngine(engine: string): string {
  return String((Number.parseInt(engine, 10) || 0) + 1);
}

const upgraded: Change = (instances) =>
  instances.map((one) => (one.role === 'primary' ? { ...one, engine: nextEngine(one.engine) } : one));

function engineOf(instances: readonly DatabaseInstance[], role: DatabaseInstance['role']): string {
  return instances.find((one) => one.role === role)?.engine ?? '';
}

function withEngine(engine: string): Change {
  return (instances) => instances.map((one) => ({ ...one, engine }));
}

const followed: Change = (instances) => withEngine(engineOf(instances, 'primary'))(instances);

/** Back to the former primary and its engine. */
const restored: Change = (instances) =>
  ofPrimary({ isReadOnly: false })(withEngine(engineOf(instances, 'standby'))(swapped(instances)));

interface Row {
  readonly from: readonly Stage[];
  readonly to: (from: Stage) => Stage;
  readonly change: (from: Stage) => Change;
}

function leads(from: Stage, to: Stage, change: Change): Row {
  // From where it leads to as well: a phase with a new run finds its work done.
  return { from: [from, to], to: () => to, change: (at) => (at === to ? unchanged : change) };
}

function stays(...from: readonly Stage[]): Row {
  return { from, to: (at) => at, change: () => unchanged };
}

const PHASES: Readonly<Record<DatabasePhase, Row>> = {
  readOnly: leads('well', 'readOnly', ofPrimary({ isReadOnly: true })),
  promote: leads('readOnly', 'promoted', swapped),
  engine: leads('promoted', 'upgraded', upgraded),
  afterEngine: stays('upgraded'),
  readWrite: leads('upgraded', 'open', ofPrimary({ isReadOnly: false })),
  roles: stays('open', 'well'),
  standby: leads('open', 'well', followed),
  restore: {
    from: ['well', 'readOnly', 'promoted', 'upgraded'],
    to: () => 'well',
    change: (at) => {
      if (at === 'well') return unchanged;
      return at === 'readOnly' ? ofPrimary({ isReadOnly: false }) : restored;
    },
  },
};

/** What is so now: the last phase has had its effect if it is done. */
export function currentDatabase(state: DatabaseState, now: number): DatabaseState {
  const { instances, stage, last } = state;
  if (last === undefined || runStatus(last.state, now) !== 'done') return state;
  const row = PHASES[last.phase];
  return { instances: row.change(stage)(instances), stage: row.to(stage) };
}

/** Why a phase cannot be begun now, in words. Only `restore` breaks off another. */
export function phaseObstacle(state: DatabaseState, phase: DatabasePhase, now: number): string | undefined {
  const { stage, last } = currentDatabase(state, now);
  const isUnderWay = last !== undefined && runStatus(last.state, now) === 'running';
  if (isUnderWay && phase !== 'restore') return `its phase ${last.phase} is under way`;
  return PHASES[phase].from.includes(stage) ? undefined : STAGES[stage];
}

const STAGES: Readonly<Record<Stage, string>> = {
  well: 'its pair is well, with a primary that takes writes',
  readOnly: 'its primary is read-only',
  promoted: 'its new primary is read-only, and has the former engine',
  upgraded: 'its new primary is read-only, and the former one is not its standby',
  open: 'its new primary takes writes, and has no standby',
};

export function databaseTrouble(state: DatabaseState, now: number): string | undefined {
  const { stage, last } = currentDatabase(state, now);
  if (last !== undefined) {
    const isOver = runStatus(last.state, now) === 'failed';
    return `The phase ${last.phase} of the simulated database ${isOver ? 'has failed' : 'is under way'}.`;
  }
  return stage === 'well' ? undefined : `The simulated database is not well: ${STAGES[stage]}.`;
}
