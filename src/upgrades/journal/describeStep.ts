import type { Message } from '../../jobs/jobStore.ts';
import type { Hook } from '../../model/hook.ts';
import { HOOKS } from '../../model/hook.ts';
import type { DatabasePhase } from '../../model/workload.ts';
import type { ActStep, DatabaseStep, StepId } from '../values/plan.ts';
import type { Entry } from './entry.ts';
import type { MessageName } from './messages.ts';
import { message, withLines } from './messageText.ts';
import type { RunState } from './runState.ts';

const NONE: readonly Message[] = [];

interface HookMessages {
  readonly started: MessageName;
  readonly done: MessageName;
  /** Post-upgrade operations have one more message in common, before the first of them. */
  readonly isPostUpgrade: boolean;
}

/** The messages before and after each hook. `index-prerequisite` belongs to the checks. */
const HOOK_MESSAGES = {
  backup: { started: 'backupStarted', done: 'backupCompleted', isPostUpgrade: false },
  'portal-content': { started: 'portalContentStarted', done: 'portalContentCompleted', isPostUpgrade: false },
  logging: { started: 'loggingStarted', done: 'loggingSucceeded', isPostUpgrade: true },
  'auto-deployed-services': {
    started: 'servicesRefreshStarted',
    done: 'servicesRefreshCompleted',
    isPostUpgrade: true,
  },
  'search-indices': { started: 'searchIndicesStarted', done: 'searchIndicesCompleted', isPostUpgrade: true },
  'index-prerequisite': undefined,
} as const satisfies Record<Hook, HookMessages | undefined>;

const POST_UPGRADE_STEPS: ReadonlySet<StepId> = new Set(
  HOOKS.filter((hook) => HOOK_MESSAGES[hook]?.isPostUpgrade === true).map((hook) => `hook/${hook}` as const),
);

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
  const messages = HOOK_MESSAGES[step.hook];
  if (messages === undefined) return NONE;
  const isFirstOfGroup =
    POST_UPGRADE_STEPS.has(id) && ![...state.started.keys()].some((one) => POST_UPGRADE_STEPS.has(one));
  return [...(isFirstOfGroup ? [message('postUpgradeStarted', {})] : []), message(messages.started, {})];
}

function messagesOf(step: ActStep, lines: readonly string[]): readonly Message[] {
  if (step.kind === 'database') return PHASE_DONE[step.phase]?.(step, lines) ?? NONE;
  if (step.kind === 'licence') return [message('licenceDelivered', {})];
  if (step.kind === 'volumes') return [message('volumesReady', { volumes: Object.keys(step.volumes).join(', ') })];
  const messages = HOOK_MESSAGES[step.hook];
  return messages === undefined ? NONE : [message(messages.done, { lines: withLines(lines) })];
}

export function describeStepDone({ step: id, lines }: Entry<'stepDone'>, { plan }: RunState): readonly Message[] {
  const step = plan?.steps.find((one) => one.id === id);
  return step === undefined || step.kind === 'rollout' ? NONE : messagesOf(step, lines);
}
