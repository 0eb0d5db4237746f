import type { Message } from '../../jobs/jobStore.ts';
import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase } from '../../model/workload.ts';
import type { ActStep, DatabaseStep, StepId } from '../plan/plan.ts';
import type { Entry } from './entry.ts';
import { message, withLines } from './messageText.ts';
import type { RunState } from './runState.ts';

const NONE: readonly Message[] = [];

/** The hooks of a release that count as post-upgrade operations, which start with one common message. */
const POST_UPGRADE_HOOKS: ReadonlySet<StepId> = new Set([
  'hook/logging',
  'hook/auto-deployed-services',
  'hook/search-indices',
]);

const HOOK_STARTED: Readonly<Partial<Record<Hook, () => Message>>> = {
  backup: () => message('backupStarted', {}),
  'portal-content': () => message('portalContentStarted', {}),
  logging: () => message('loggingStarted', {}),
  'auto-deployed-services': () => message('servicesRefreshStarted', {}),
  'search-indices': () => message('searchIndicesStarted', {}),
};

const HOOK_DONE: Readonly<Partial<Record<Hook, (lines: string) => Message>>> = {
  backup: (lines) => message('backupCompleted', { lines }),
  'portal-content': (lines) => message('portalContentCompleted', { lines }),
  logging: (lines) => message('loggingSucceeded', { lines }),
  'auto-deployed-services': (lines) => message('servicesRefreshCompleted', { lines }),
  'search-indices': (lines) => message('searchIndicesCompleted', { lines }),
};

const PHASE_STARTED: Readonly<Partial<Record<DatabasePhase, (step: DatabaseStep) => Message>>> = {
  readOnly: () => message('databaseUpgradeStarted', {}),
  engine: ({ standby }) => message('engineUpgradeStarted', { standby }),
  afterEngine: () => message('databasePostUpgradeStarted', {}),
};

type PhaseDone = (step: DatabaseStep, lines: readonly string[]) => readonly Message[];

const PHASE_DONE: Readonly<Partial<Record<DatabasePhase, PhaseDone>>> = {
  readOnly: ({ primary }) => [message('primarySetReadOnly', { primary })],
  promote: ({ standby }) => [message('standbyPromoted', { standby })],
  engine: ({ standby }, lines) => [
    message('engineUpgradeFinished', { standby }),
    message('databaseResult', { result: lines.at(-1) ?? '{"databases":[]}' }),
  ],
  afterEngine: () => [message('databasePostUpgradeCompleted', {})],
  readWrite: ({ standby }) => [message('primarySetReadWrite', { standby })],
  roles: ({ standby }) => [message('rolesChanged', { standby })],
  standby: ({ primary }) => [message('standbyAdded', { primary }), message('databaseUpgradeCompleted', {})],
};

/** A step is announced when it first starts, not again by a retry. */
export function describeStepStarted({ step: id }: Entry<'stepStarted'>, state: RunState): readonly Message[] {
  const step = state.plan?.steps.find((one) => one.id === id);
  if (step === undefined || state.started.has(id)) return NONE;
  if (step.kind === 'database') {
    const started = PHASE_STARTED[step.phase]?.(step);
    return started === undefined ? NONE : [started];
  }
  if (step.kind !== 'hook') return NONE;
  const started = HOOK_STARTED[step.hook]?.();
  const isFirstOfGroup =
    POST_UPGRADE_HOOKS.has(id) && ![...state.started.keys()].some((one) => POST_UPGRADE_HOOKS.has(one));
  return [...(isFirstOfGroup ? [message('postUpgradeStarted', {})] : []), ...(started === undefined ? [] : [started])];
}

function messagesOf(step: ActStep, lines: readonly string[]): readonly Message[] {
  if (step.kind === 'database') return PHASE_DONE[step.phase]?.(step, lines) ?? NONE;
  if (step.kind === 'licence') return [message('licenceDelivered', {})];
  if (step.kind === 'volumes') return [message('volumesReady', { volumes: Object.keys(step.volumes).join(', ') })];
  const done = HOOK_DONE[step.hook]?.(withLines(lines));
  return done === undefined ? NONE : [done];
}

export function describeStepDone({ step: id, lines }: Entry<'stepDone'>, { plan }: RunState): readonly Message[] {
  const step = plan?.steps.find((one) => one.id === id);
  return step === undefined || step.kind === 'rollout' ? NONE : messagesOf(step, lines);
}
