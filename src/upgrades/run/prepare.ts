import type { Clock } from '../../foundation/clock.ts';
import type { Job, Said } from '../../jobs/jobStore.ts';
import type { Acting } from './act.ts';
import type { Check, Deployment, Failure } from '../ports/deployment.ts';
import type { ToDo } from '../plan/draft.ts';
import { diagnosed, draft } from '../plan/draft.ts';
import { message } from '../journal/messages.ts';
import type { Plan } from '../plan/plan.ts';
import { PLAN } from '../plan/plan.ts';
import type { RunJournal } from '../journal/journalWriter.ts';
import { Stopped } from '../journal/journalWriter.ts';
import { perform, runOf } from './step.ts';
import type { TaskLeg } from '../task.ts';
import { cursorOf, taskOf } from '../task.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';
import type { Halt } from './controlRequests.ts';

export interface PreparingNeeds {
  readonly job: Job;
  readonly legs: readonly TaskLeg[];
  readonly deployment: Deployment;
  readonly store: UpgradeStore;
  readonly acting: Acting;
  readonly journal: RunJournal;
  readonly clock: Clock;
  readonly parallel: number;
  readonly attempt: number;
  readonly halt: Halt;
  readonly signal: AbortSignal;
}

const DIAGNOSTICS = 'diagnostics';
/** Why the job cannot begin: found once, and not looked for again. */
const OBSTACLE = 'obstacle';

function obstacle(checks: readonly Check[]): Failure {
  const bad = checks.filter(({ verdict }) => verdict === 'fail');
  return {
    reason: `Pre-diagnostics found ${bad.length === 1 ? 'an obstacle' : `${bad.length} obstacles`}: ${bad.map(({ name, text }) => `${name}: ${text}`).join(' ')}`,
    lines: [],
    advice: bad.map(({ todo }) => todo).join(' '),
  };
}

function checkMessages(checks: readonly Check[]): readonly Said[] {
  return checks.flatMap(({ name, verdict, text, todo }) => {
    if (verdict === 'pass') return [];
    return [message(verdict === 'warn' ? 2920 : 2921, { name, text, todo }, `check:${name}:${verdict}`)];
  });
}

/** Looks at everything before anything is changed, then writes down what will be done. */
export function createPreparing(needs: PreparingNeeds) {
  const { job, legs, deployment, acting, journal } = needs;
  const task = taskOf(job);
  const isRelease = legs.some(({ update }) => update === 'release');

  const toDo = (): ToDo => ({ task, legs, done: journal.done(), isPastReturn: cursorOf(job).isPastReturn });

  async function checkIndex(): Promise<Failure | undefined> {
    const act = {
      kind: 'hook',
      hook: 'index-prerequisite',
      run: runOf(job.id, DIAGNOSTICS, needs.attempt),
    } as const;
    const done = await perform(needs, 'The prerequisite check of the search index', act, needs.halt.signal);
    if (done === undefined || 'reason' in done) return done;
    await journal.write({ say: [message(2281, {}, '2281')] });
    return undefined;
  }

  async function diagnose(): Promise<Failure | undefined> {
    await journal.write({ phase: DIAGNOSTICS, say: [message(2287, {}, '2287')] });
    const inventory = await acting.insist('looking at the deployment', () => deployment.inventory());
    if ('reason' in inventory) return inventory;
    const { checks } = await diagnosed(needs, toDo(), inventory, { isPatient: true, signal: needs.signal });
    if (needs.signal.aborted) throw new Stopped();
    const count = (verdict: Check['verdict']): number => checks.filter((one) => one.verdict === verdict).length;
    if (isRelease && inventory.database !== undefined) {
      const result = checks.find(({ name }) => name === 'database')?.text.replace(/\.$/, '') ?? 'not asked';
      await journal.write({ say: [message(2094, { result }, '2094')] });
    }
    if (isRelease && inventory.hooks.includes('index-prerequisite') && count('fail') === 0) {
      if (!needs.halt.mayBegin()) return undefined;
      const fault = await checkIndex();
      if (fault !== undefined || !needs.halt.mayBegin()) return fault;
    }
    const counts = { passed: count('pass'), warned: count('warn'), failed: count('fail') };
    const fault = counts.failed === 0 ? undefined : obstacle(checks);
    const ended = {
      name: fault === undefined ? DIAGNOSTICS : `${OBSTACLE}#${needs.attempt}`,
      tookMs: 0,
      result: fault,
    };
    await journal.write({ say: [...checkMessages(checks), message(2288, counts, '2288')], steps: [ended] });
    return fault;
  }

  async function plan(): Promise<Plan | Failure> {
    await journal.write({ phase: PLAN, say: [message(2270, {}, '2270')] });
    const inventory = await acting.insist('looking at the deployment', () => deployment.inventory());
    if ('reason' in inventory) return inventory;
    const made = await draft(needs, toDo(), inventory);
    // Not again on a retry: then it is as the job itself has left it.
    if (needs.attempt === 0 && task.planHash !== undefined && task.planHash !== made.hash)
      return {
        reason: 'The deployment has changed since the plan was made that this job was to follow.',
        lines: [],
        advice: 'Make a new plan, look at it, and start again with its planHash.',
      };
    const workloads = made.steps.reduce((sum, step) => sum + (step.kind === 'leg' ? step.waves.flat().length : 0), 0);
    const isLeftOut = isRelease && !made.steps.some(({ key }) => key === 'hook/backup');
    const why = task.isRestorePointWaived ? 'it was started without one on purpose' : 'there is no hook backup';
    await journal.write({
      total: made.total,
      steps: [{ name: PLAN, tookMs: 0, result: made }],
      say: [
        message(2271, { steps: made.steps.length, workloads }, '2271'),
        ...(isLeftOut ? [message(2912, { why }, '2912')] : []),
      ],
    });
    return made;
  }

  return {
    /** The plan, or why there is none; undefined where someone wants the job to stop. */
    async prepare(): Promise<Plan | Failure | undefined> {
      if (journal.has(PLAN)) return journal.result(PLAN) as Plan;
      const found = journal.result(`${OBSTACLE}#${needs.attempt}`) as Failure | undefined;
      if (found !== undefined) return found;
      if (!journal.has(DIAGNOSTICS)) {
        const fault = await diagnose();
        if (fault !== undefined) return fault;
      }
      return needs.halt.mayBegin() ? plan() : undefined;
    },
  };
}
