// The last transaction of a job: its state, the mode from before, the installed versions, events and audit note together.
import { applyEntries } from '../journal/describe.ts';
import { endingOf } from '../journal/end/describeEnd.ts';
import { modeAfter } from '../journal/end/keptMode.ts';
import type { Entry, Outcome } from '../journal/entry.ts';
import { projection } from './journalWriter.ts';
import type { RunState } from '../journal/runState.ts';
import { upgradeEvent } from '../journal/upgradeEvent.ts';
import type { Decision } from '../../model/decision.ts';
import type { JobState } from '../../model/jobState.ts';
import { modeEvent } from '../../model/mode.ts';
import { versionName } from '../../model/version.ts';
import { rolloutId } from '../plan/rolloutSteps.ts';
import { changesIn } from '../values/plan.ts';
import type { Conclusion, Installed, LockedFacts, UpgradeChange } from '../ports/upgradeStore.ts';
import { ROLLBACK } from '../ports/upgradeStore.ts';
import { shownState } from '../values/jobStates.ts';

const END_STATES = {
  succeeded: 'succeeded',
  stopped: 'failed',
  undone: 'undone',
  undoIncomplete: 'failed',
} as const satisfies Record<Outcome['kind'], JobState>;

/** The versions that a successful upgrade has installed, each with the images that it replaced. */
function installedBy({ job, plan, targets }: RunState, at: number): readonly Omit<Installed, 'seq'>[] {
  return targets.flatMap(({ version }, n) => {
    if (version === undefined) return [];
    const step = plan?.steps.find(({ id }) => id === rolloutId(targets, n));
    const changes = step === undefined ? [] : changesIn(step);
    const existed = changes.filter(({ from }) => from.length > 0);
    const before = existed.map(({ workload, from }) => ({ workload, images: from }));
    const objects = job.task.objects?.bundle?.checksum;
    return [{ version, at, how: 'upgrade' as const, by: job.startedBy, job: job.id, before, objects }];
  });
}

/** What jobs have kept of objects: that of the job which the current version can be rolled back to is needed, and that of this one. */
function keptContents({ job }: RunState, outcome: Outcome, { installed }: LockedFacts): readonly string[] {
  const rest = job.kind === ROLLBACK && outcome.kind === 'succeeded' ? installed.slice(0, -1) : installed;
  const isReplaced = job.kind !== ROLLBACK && outcome.kind === 'succeeded';
  return [job.id, (isReplaced ? undefined : rest.at(-1)?.job) ?? []].flat();
}

function versionsAfter(state: RunState, outcome: Outcome, at: number): UpgradeChange {
  if (outcome.kind !== 'succeeded') return {};
  const { kind, task } = state.job;
  if (kind !== ROLLBACK) return { install: installedBy(state, at) };
  return { remove: task.removes === undefined ? [] : [task.removes] };
}

/** The last message of a job. */
export function endingText(state: RunState, outcome: Outcome, at: number): string {
  return endingOf(outcome, state, at)
    .after.map(({ text }) => text)
    .join(' ');
}

/** Decides everything that changes when a job ends. */
export function conclude(
  state: RunState,
  { outcome, modeNotShown }: Pick<Entry<'ended'>, 'outcome' | 'modeNotShown'>,
  facts: LockedFacts,
  at: number,
): Decision<Conclusion> {
  const { job } = state;
  const { mode } = facts;
  const next = modeAfter(state, outcome);
  const entries = [{ kind: 'ended', outcome, ...(modeNotShown && { modeNotShown }) }] as const;
  const applied = applyEntries(state, entries, at);
  const ended = END_STATES[outcome.kind];
  const { state: shown } = shownState(ended);
  const message = endingText(state, outcome, at);
  const { from, to } = job.task;
  const event = ended === 'succeeded' ? 'upgrade.completed' : 'upgrade.failed';
  return {
    change: {
      ...versionsAfter(state, outcome, at),
      mode: next,
      ...(facts.keptObjects.size > 0 && { dropContents: { except: keptContents(state, outcome, facts) } }),
      progress: {
        ...projection(applied.state),
        state: ended,
        entries,
        messages: applied.messages,
        // A cancel that was accepted a moment ago takes precedence over success.
        ...(ended === 'succeeded' ? { onlyIf: 'notCancelled' } : {}),
      },
    },
    announce: [...modeEvent(mode, next), upgradeEvent(event, job, { state: shown, message })],
    audit: [
      {
        action: `${job.kind}.end`,
        target: `job ${job.id}`,
        after: { state: shown, from: versionName(from), to: versionName(to), isReadOnly: next.isReadOnly },
      },
    ],
  };
}
