import { createHash } from 'node:crypto';
import { memoize } from '../../../foundation/cache/memoize.ts';
import type { JobSnapshot } from '../../../jobs/jobFeed.ts';
import type { Job } from '../../../jobs/jobStore.ts';
import { MESSAGES } from '../../../upgrades/journal/messages.ts';
import { jobDetails } from '../../../upgrades/jobDetails.ts';
import { shownState } from '../../../upgrades/values/jobStates.ts';
import type { UpgradeJobAnswer } from '../../../wire/answers/jobAnswers.ts';
import type { UpgradeStatusAnswer } from '../../../wire/answers/upgradeAnswers.ts';
import type { CachedBytes } from '../../server/handler.ts';
import { messageView, progressView } from '../jobs/jobView.ts';

export function upgradeJobView(job: Job): UpgradeJobAnswer {
  const { id, kind } = job;
  return { id, kind, ...jobDetails(job), ...progressView(job) };
}

/** Returns the answer of `upgrade` and `rollback`: the status with the first message only. */
export function firstStatus({ job, messages: all }: JobSnapshot): UpgradeStatusAnswer {
  // The job may have moved on since it was started. A retried undo is still an undo, and starts no upgrade.
  const state = job.state === 'undoing' ? 'undoing' : 'running';
  const first =
    state === 'undoing' ? all.filter(({ code }) => code === MESSAGES.retried.code).slice(-1) : all.slice(0, 1);
  const messages = first.map(messageView);
  return { status: { ...shownState(state), messages }, job: upgradeJobView({ ...job, state }) };
}

export function statusOf({ job, messages }: JobSnapshot): UpgradeStatusAnswer {
  const status = { ...shownState(job.state), messages: messages.map(messageView) };
  return { status, job: upgradeJobView(job) };
}

/** The status for a page: the job comes first and the newest message on top, so that the cause of a failure is in sight. */
export function statusPage({ job, messages }: JobSnapshot): UpgradeStatusAnswer {
  const newestFirst = messages.map(messageView).toReversed();
  return { job: upgradeJobView(job), status: { ...shownState(job.state), messages: newestFirst } };
}

export const NO_UPGRADE: UpgradeStatusAnswer = { status: { state: 'no_upgrade', code: 0, messages: [] } };

interface Rendered {
  readonly tag: string;
  /** The messages as JSON, comma-separated. */
  readonly text: string;
  /** The number of messages in `text`. */
  readonly count: number;
  readonly bytes: Map<'json' | 'pjson', Buffer>;
}

/** Renders the status incrementally: each message is serialised once, and an unchanged status is not rendered again. */
export function createStatusBytes(): (snapshot: JobSnapshot) => CachedBytes {
  let last: { readonly job: string; readonly rendered: Rendered } | undefined;

  const render = memoize(({ job, messages }: JobSnapshot): Rendered => {
    const before = last?.job === job.id && last.rendered.count <= messages.length ? last.rendered : undefined;
    const more = messages.slice(before?.count ?? 0).map((message) => JSON.stringify(messageView(message)));
    const text = [...(before === undefined || before.count === 0 ? [] : [before.text]), ...more].join(',');
    const tag = createHash('sha1').update(JSON.stringify(job)).digest('base64url').slice(0, 16);
    return { tag: `${messages.length}-${tag}`, text, count: messages.length, bytes: new Map() };
  });

  function write(snapshot: JobSnapshot, { text }: Rendered, format: 'json' | 'pjson'): Buffer {
    if (format === 'pjson') return Buffer.from(`${JSON.stringify(statusOf(snapshot), undefined, 2)}\n`);
    const { state, code } = shownState(snapshot.job.state);
    const job = JSON.stringify(upgradeJobView(snapshot.job));
    return Buffer.from(`{"status":{"state":"${state}","code":${code},"messages":[${text}]},"job":${job}}`);
  }

  return (snapshot) => {
    const found = render(snapshot);
    last = { job: snapshot.job.id, rendered: found };
    return {
      tag: found.tag,
      bytes(format) {
        const known = found.bytes.get(format) ?? write(snapshot, found, format);
        found.bytes.set(format, known);
        return known;
      },
    };
  };
}
