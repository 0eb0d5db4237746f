import type { JobStep, Reason } from '../values/task.ts';
import type { Step } from '../values/plan.ts';
import { changesIn } from '../values/plan.ts';
import type { RunState } from './runState.ts';
import { isWorkloadDone } from './runState.ts';

function stepStateOf({ done, started, undo, outcome }: RunState, { id, kind }: Step): JobStep['state'] {
  const isStarted = started.has(id) || done.has(id);
  if (!isStarted) return 'pending';
  // Volumes, the licence and hooks are not undone.
  if (outcome === 'undone' && (kind === 'rollout' || kind === 'database')) return 'undone';
  if (done.has(id)) return 'done';
  return undo === undefined && outcome === undefined ? 'running' : 'stopped';
}

function progressOf(state: RunState, step: Step): JobStep['progress'] {
  if (step.kind !== 'rollout') return { done: state.done.has(step.id) ? 1 : 0, total: 1 };
  const changes = changesIn(step);
  const finished = changes.filter(({ workload }) => isWorkloadDone(state, step.id, workload));
  return { done: finished.length, total: changes.length };
}

/** The steps of the plan with their state; none until there is a plan. */
export function stepsOf(state: RunState): readonly JobStep[] {
  const { steps = [], pointOfNoReturn } = state.plan ?? {};
  const noReturn = steps.findIndex(({ id }) => id === pointOfNoReturn);
  return steps.map((step, n) => ({
    step: step.id,
    title: step.title,
    state: stepStateOf(state, step),
    canBeUndone: noReturn === -1 || n < noReturn,
    progress: progressOf(state, step),
  }));
}

/** Why a job has ended, or is being undone; undefined while it goes forward. */
export function reasonOf({ outcome, undo, plan, checks }: RunState): Reason | undefined {
  if (outcome === 'succeeded') return 'completed';
  if (outcome === undefined && undo === undefined) return undefined;
  if (outcome === 'undoIncomplete') return 'failed';
  if (undo?.cause.kind === 'cancelled') return 'cancelled';
  const haveChecksFailed = plan === undefined && checks?.results.some(({ verdict }) => verdict === 'fail') === true;
  return haveChecksFailed ? 'checksFailed' : 'failed';
}
