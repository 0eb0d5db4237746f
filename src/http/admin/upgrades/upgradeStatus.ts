import { createHash } from 'node:crypto';
import type { JobSnapshot } from '../../../jobs/jobFeed.ts';
import type { Job, JobMessage } from '../../../jobs/jobStore.ts';
import { JOB_STATES } from '../../../upgrades/run/finish.ts';
import { cursorOf, taskOf } from '../../../upgrades/task.ts';
import { versionName } from '../../../model/version.ts';
import type { Prepared } from '../../server/handler.ts';

export function messageView({ code, text, at }: JobMessage) {
  return { code, message: text, when: at };
}

export function upgradeJobView(job: Job) {
  const { from, to, versionId, isSimulated } = taskOf(job);
  const { isPastReturn } = cursorOf(job);
  return {
    id: job.id,
    kind: job.kind,
    from: versionName(from),
    to: versionName(to),
    versionId,
    phase: job.phase,
    progress: { done: job.done, total: job.total },
    startedAt: job.started,
    startedBy: job.startedBy,
    estimatedEnd: job.ended ?? (job.state === 'paused' ? null : (job.endsAt ?? null)),
    endedAt: job.ended ?? null,
    pausing: job.isPausing,
    cancelling: job.isCancelled && (job.state === 'running' || job.state === 'undoing'),
    pastPointOfNoReturn: isPastReturn,
    simulated: isSimulated,
  };
}

/** The status with one message only: what `upgrade` answers. */
export function firstStatus({ job, entries }: JobSnapshot) {
  const messages = entries.slice(0, 1).map(messageView);
  // It may have gone on since; but what could not be put back is put back, and no upgrade.
  const state = job.state === 'undoing' ? 'undoing' : 'running';
  return { status: { ...JOB_STATES[state], messages }, job: upgradeJobView({ ...job, state }) };
}

export function statusOf({ job, entries }: JobSnapshot) {
  const status = { ...JOB_STATES[job.state], messages: entries.map(messageView) };
  return { status, job: upgradeJobView(job) };
}

export const NO_UPGRADE = { status: { state: 'no_upgrade', code: 0, messages: [] } };

interface Rendered {
  readonly tag: string;
  /** Of the entries so far, each written once. */
  readonly text: string;
  readonly count: number;
  readonly bytes: Map<'json' | 'pjson', Buffer>;
}

/**
 * The status as bytes. What was written out once is written out never again: a message that is added costs what it takes to
 * write it, and a status that has not changed costs nothing.
 */
export function createStatusBytes(): (snapshot: JobSnapshot) => Prepared {
  const rendered = new WeakMap<JobSnapshot, Rendered>();
  let last: { readonly job: string; readonly rendered: Rendered } | undefined;

  function render({ job, entries }: JobSnapshot): Rendered {
    const before = last?.job === job.id && last.rendered.count <= entries.length ? last.rendered : undefined;
    const more = entries.slice(before?.count ?? 0).map((entry) => JSON.stringify(messageView(entry)));
    const text = [...(before === undefined || before.count === 0 ? [] : [before.text]), ...more].join(',');
    const tag = createHash('sha1').update(JSON.stringify(job)).digest('base64url').slice(0, 16);
    return { tag: `${entries.length}-${tag}`, text, count: entries.length, bytes: new Map() };
  }

  function write(snapshot: JobSnapshot, { text }: Rendered, format: 'json' | 'pjson'): Buffer {
    if (format === 'pjson') return Buffer.from(`${JSON.stringify(statusOf(snapshot), undefined, 2)}\n`);
    const { state, code } = JOB_STATES[snapshot.job.state];
    const job = JSON.stringify(upgradeJobView(snapshot.job));
    return Buffer.from(`{"status":{"state":"${state}","code":${code},"messages":[${text}]},"job":${job}}`);
  }

  return (snapshot) => {
    const found = rendered.get(snapshot) ?? render(snapshot);
    rendered.set(snapshot, found);
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
