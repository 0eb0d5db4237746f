import type { Announcement, Decision } from '../../model/decision.ts';
import type { Job, Progress, Said } from '../../jobs/jobStore.ts';
import type { JobState } from '../../model/jobState.ts';
import type { Failure } from '../ports/deployment.ts';
import { elapsed, message, simulatedNote, withLines } from '../journal/messages.ts';
import { modeEvent } from '../../model/mode.ts';
import type { Mode } from '../../model/mode.ts';
import type { Plan } from '../plan/plan.ts';
import { legKey } from '../plan/plan.ts';
import type { TaskLeg } from '../task.ts';
import { cursorOf, taskOf } from '../task.ts';
import type { Installed, UpgradeChange } from '../ports/upgradeStore.ts';
import { ROLLBACK } from '../ports/upgradeStore.ts';
import { versionName } from '../../model/version.ts';

type Conclusion = Decision<UpgradeChange & { readonly progress: Progress }>;

const EVENTS: Readonly<Partial<Record<JobState, string>>> = {
  succeeded: 'upgrade.completed',
  failed: 'upgrade.failed',
  undone: 'upgrade.failed',
};

export const JOB_STATES: Readonly<Record<JobState, { readonly state: string; readonly code: number }>> = {
  running: { state: 'in_progress', code: 1 },
  failed: { state: 'failed', code: 2 },
  succeeded: { state: 'success', code: 3 },
  paused: { state: 'paused', code: 4 },
  undoing: { state: 'rolling_back', code: 5 },
  undone: { state: 'rolled_back', code: 6 },
  // Upgrades are put back instead.
  cancelled: { state: 'rolled_back', code: 6 },
};

export function upgradeEvent(type: string, job: Job, more: object = {}): Announcement {
  const { from, to, versionId, isSimulated } = taskOf(job);
  const data = { jobId: job.id, kind: job.kind, id: versionId, from: versionName(from), to: versionName(to) };
  return { type, data: { ...data, ...(isSimulated ? { simulated: true } : {}), ...more } };
}

interface Ending {
  readonly state: JobState;
  /** Said before read-only mode is left, and after it. */
  readonly before?: readonly Said[];
  readonly after: readonly Said[];
}

/** The end of a job in one transaction: its state, the mode that was there before, what is installed now. */
function conclude(job: Job, mode: Mode, ending: Ending, change: UpgradeChange = {}): Conclusion {
  const { state, before = [], after } = ending;
  const { modeBefore } = cursorOf(job);
  const left = modeBefore.isReadOnly
    ? 'The job is done with read-only mode. The system stays in it, as it was set by hand before'
    : 'The system has left read-only mode';
  const { from, to } = taskOf(job);
  const event = EVENTS[state];
  const { state: shown } = JOB_STATES[state];
  const say = [...before, message(2166, { left }), ...after];
  const told = (before.length > 0 ? before : after).map(({ text }) => text).join(' ');
  return {
    change: {
      ...change,
      mode: modeBefore,
      progress: {
        state,
        phase: 'ended',
        say,
        // A cancel that was accepted a moment ago is not passed over.
        ...(state === 'succeeded' ? { onlyIf: 'notCancelled' } : {}),
      },
    },
    announce: [
      ...modeEvent(mode, modeBefore),
      ...(event === undefined ? [] : [upgradeEvent(event, job, { state: shown, message: told })]),
    ],
    audit: [
      {
        action: `${job.kind}.end`,
        target: `job ${job.id}`,
        after: { state: shown, from: versionName(from), to: versionName(to) },
      },
    ],
  };
}

function installedBy(job: Job, plan: Plan, legs: readonly TaskLeg[], now: number): readonly Omit<Installed, 'seq'>[] {
  return legs.flatMap(({ version }, n) => {
    if (version === undefined) return [];
    const step = plan.steps.find(({ key }) => key === legKey(legs, n));
    const changes = step?.kind === 'leg' ? step.waves.flat() : [];
    const before = changes.map(({ workload, from }) => ({ workload, images: from }));
    return [{ version, at: now, how: 'upgrade' as const, by: job.startedBy, job: job.id, before }];
  });
}

export function succeeded(job: Job, mode: Mode, plan: Plan, legs: readonly TaskLeg[], now: number): Conclusion {
  const { from, to, removes, isSimulated } = taskOf(job);
  const names = { from: versionName(from), to: versionName(to), simulated: simulatedNote(isSimulated) };
  const took = elapsed(Math.max(0, now - job.started));
  if (job.kind === ROLLBACK)
    return conclude(
      job,
      mode,
      { state: 'succeeded', after: [message(2980, { ...names, ...took })] },
      { remove: removes === undefined ? [] : [removes] },
    );
  return conclude(
    job,
    mode,
    { state: 'succeeded', after: [message(2011, took), message(2012, names)] },
    { install: installedBy(job, plan, legs, now) },
  );
}

export function faultMessages({ reason, lines, advice }: Failure, mark: string): readonly Said[] {
  return [
    message(2950, { reason, lines: withLines(lines) }, `${mark}:2950`),
    message(2951, { advice }, `${mark}:2951`),
  ];
}

export const CANCELLED = 'It was cancelled.';

export function causeOf({ reason, lines, advice }: Failure): string {
  const wrote = lines.length === 0 ? '' : ` Last lines: ${lines.slice(-3).join(' | ')}.`;
  return `The cause: ${reason}${wrote} What to do: ${advice}`;
}

/** Where it stopped, and after how many parts. */
export interface Stop {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

/** After the point of no return: it stops where it is, and can be tried again from there. */
export function failed(job: Job, mode: Mode, fault: Failure, stop: Stop): Conclusion {
  const { from, to } = taskOf(job);
  return conclude(job, mode, {
    state: 'failed',
    before: faultMessages(fault, `failed#${cursorOf(job).attempt}`),
    after: [message(2990, { from: versionName(from), to: versionName(to), job: job.id, ...stop })],
  });
}

export interface Undoing {
  readonly cause: string | undefined;
  readonly hasChanged: boolean;
  /** What was changed and is left so. */
  readonly stays: readonly string[];
}

/** What was put back may be long: the cause is told again after it. */
export function undone(job: Job, mode: Mode, { cause, hasChanged, stays }: Undoing): Conclusion {
  const kept = stays.length === 0 ? '' : ` What stays, and does no harm: ${stays.join(', ')}.`;
  const what = hasChanged
    ? `all that was changed was put back.${kept} ${cause ?? ''}`
    : `nothing ${kept === '' ? '' : 'that runs '}had been changed.${kept}`;
  const next = cause === CANCELLED ? 'whenever you like' : 'when the cause is gone';
  const gaps = { from: versionName(taskOf(job).from), what: what.trimEnd(), kind: job.kind, next };
  return conclude(job, mode, { state: 'undone', after: [message(2991, gaps)] });
}

/** Not everything could be put back; it can be tried again. */
export function undoneInPart(job: Job, mode: Mode, faults: readonly Failure[]): Conclusion {
  const { from, to } = taskOf(job);
  const { attempt } = cursorOf(job);
  const before = faults.flatMap(({ reason, lines, advice }, n) => [
    message(2935, { reason: `${reason}${withLines(lines)}` }, `undo#${attempt}:${n}:2935`),
    message(2951, { advice }, `undo#${attempt}:${n}:2951`),
  ]);
  const after = [message(2992, { kind: job.kind, from: versionName(from), to: versionName(to), job: job.id })];
  return conclude(job, mode, { state: 'failed', before, after });
}
