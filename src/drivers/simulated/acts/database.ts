// The database of a simulated deployment: a primary and a standby that the phases of a release lead through five stages.
// `beginRun.ts` starts a phase; its effect counts from the time at which it is done.

import type { DatabaseInstance, DatabasePhase } from '../../../model/workload.ts';
import type { DatabaseState, Stage } from '../state/databaseState.ts';
import { failingInstance, runStatus } from './run.ts';

type InstanceChange = (instances: readonly DatabaseInstance[]) => readonly DatabaseInstance[];

function updatePrimary(change: Partial<DatabaseInstance>): InstanceChange {
  return (instances) => instances.map((one) => (one.role === 'primary' ? { ...one, ...change } : one));
}

/** The former primary stays unchanged and read-only, so that `restore` can return to it. */
const swapRoles: InstanceChange = (instances) =>
  instances.map((one) => ({ ...one, role: one.role === 'primary' ? 'standby' : 'primary', isReadOnly: true }));

function nextEngine(engine: string): string {
  return String((Number.parseInt(engine, 10) || 0) + 1);
}

const upgradePrimary: InstanceChange = (instances) =>
  instances.map((one) => (one.role === 'primary' ? { ...one, engine: nextEngine(one.engine) } : one));

function engineOf(instances: readonly DatabaseInstance[], role: DatabaseInstance['role']): string {
  return instances.find((one) => one.role === role)?.engine ?? '';
}

function withEngine(engine: string): InstanceChange {
  return (instances) => instances.map((one) => ({ ...one, engine }));
}

const upgradeStandby: InstanceChange = (instances) => withEngine(engineOf(instances, 'primary'))(instances);

/** Returns to the former primary and its engine. */
const returnToFormer: InstanceChange = (instances) =>
  updatePrimary({ isReadOnly: false })(withEngine(engineOf(instances, 'standby'))(swapRoles(instances)));

interface PhaseRow {
  readonly from: readonly Stage[];
  /** A phase without it changes nothing. A new run of a phase whose stage is reached already changes nothing either. */
  readonly to?: Stage;
  readonly change?: (from: Stage) => InstanceChange;
}

const PHASES: Readonly<Record<DatabasePhase, PhaseRow>> = {
  readOnly: { from: ['well'], to: 'readOnly', change: () => updatePrimary({ isReadOnly: true }) },
  promote: { from: ['readOnly'], to: 'promoted', change: () => swapRoles },
  engine: { from: ['promoted'], to: 'upgraded', change: () => upgradePrimary },
  afterEngine: { from: ['upgraded'] },
  readWrite: { from: ['upgraded'], to: 'open', change: () => updatePrimary({ isReadOnly: false }) },
  roles: { from: ['open', 'well'] },
  standby: { from: ['open'], to: 'well', change: () => upgradeStandby },
  restore: {
    from: ['readOnly', 'promoted', 'upgraded'],
    to: 'well',
    change: (from) => (from === 'readOnly' ? updatePrimary({ isReadOnly: false }) : returnToFormer),
  },
};

/** Applies the effect of the last phase if it is done. */
export function currentDatabase(state: DatabaseState, now: number): DatabaseState {
  const { instances, stage, last, down = [] } = state;
  if (last === undefined || runStatus(last.state, now) !== 'done') return state;
  const { to = stage, change } = PHASES[last.phase];
  const { name: started } = failingInstance(last.phase, state);
  const stillDown = to === 'well' ? [] : down.filter((name) => name !== started);
  return {
    instances: to === stage || change === undefined ? instances : change(stage)(instances),
    stage: to,
    ...(stillDown.length > 0 && { down: stillDown }),
  };
}

/** The instances that do not start, whatever their role: one that a phase has failed on accepts no writes. */
export function downInstances(state: DatabaseState, now: number): readonly string[] {
  const { instances, stage, last, down = [] } = currentDatabase(state, now);
  const isFailed = last !== undefined && runStatus(last.state, now) === 'failed';
  const names = new Set([...down, ...(isFailed ? [failingInstance(last.phase, { instances, stage }).name] : [])]);
  return instances.map(({ name }) => name).filter((name) => names.has(name));
}

/** Why a phase cannot be begun now, in words. Only `restore` may interrupt a running phase. */
export function phaseObstacle(state: DatabaseState, phase: DatabasePhase, now: number): string | undefined {
  const { stage, last } = currentDatabase(state, now);
  const isRunning = last !== undefined && runStatus(last.state, now) === 'running';
  if (isRunning && phase !== 'restore') return `its phase \`${last.phase}\` is running`;
  const { from, to } = PHASES[phase];
  return from.includes(stage) || stage === to ? undefined : STAGES[stage];
}

const STAGES: Readonly<Record<Stage, string>> = {
  well: 'its primary accepts writes and its standby is in place',
  readOnly: 'its primary is read-only',
  promoted: 'its new primary is read-only and has the previous engine',
  upgraded: 'its new primary is read-only and has no standby',
  open: 'its new primary accepts writes and has no standby',
};

export function databaseTrouble(state: DatabaseState, now: number): string | undefined {
  const { instances, stage, last } = currentDatabase(state, now);
  if (last !== undefined) {
    if (runStatus(last.state, now) === 'running')
      return `The phase \`${last.phase}\` of the simulated database is running.`;
    const { name } = failingInstance(last.phase, { instances, stage });
    return `The phase \`${last.phase}\` of the simulated database has failed: \`${name}\` does not start.`;
  }
  return stage === 'well' ? undefined : `The simulated database is not healthy: ${STAGES[stage]}.`;
}
