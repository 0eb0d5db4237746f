import type { RunState } from '../journal/runState.ts';
import type { Step } from '../values/plan.ts';
import type { Failure } from '../../model/failure.ts';
import type { Check } from '../ports/deployment.ts';

/** What a session does next. */
export type Action =
  | { readonly kind: 'runChecks' }
  | { readonly kind: 'preparePlan' }
  | { readonly kind: 'passPointOfNoReturn'; readonly step: Step }
  | { readonly kind: 'runStep'; readonly step: Step }
  | { readonly kind: 'fail'; readonly failure: Failure }
  | { readonly kind: 'succeed' };

function failureOf(failed: readonly Check[]): Failure {
  return {
    reason: failed.map(({ name, text }) => `The check \`${name}\` failed: ${text}`).join(' '),
    lines: [],
    advice: failed.map(({ todo }) => todo).join(' '),
    nextActions: failed.flatMap(({ nextActions = [] }) => nextActions),
  };
}

/** Checks that passed are not repeated. Checks that failed fail their attempt, and a retry repeats them. */
function beforePlan({ checks, attempt }: RunState): Action {
  const failed = checks?.results.filter(({ verdict }) => verdict === 'fail') ?? [];
  if (checks === undefined || (failed.length > 0 && checks.attempt !== attempt)) return { kind: 'runChecks' };
  return failed.length > 0 ? { kind: 'fail', failure: failureOf(failed) } : { kind: 'preparePlan' };
}

/** Decides what a job that goes forward does next. */
export function nextAction(state: RunState): Action {
  const { plan, done, isPastReturn } = state;
  if (plan === undefined) return beforePlan(state);
  const step = plan.steps.find(({ id }) => !done.has(id));
  if (step === undefined) return { kind: 'succeed' };
  return step.isFinal && !isPastReturn ? { kind: 'passPointOfNoReturn', step } : { kind: 'runStep', step };
}
