// A store that was restored begins a new epoch. What happened since the backup is forgotten here and known to receivers, so that
// numbers which were used since must not be used again.
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import { readEpoch, writeEpoch } from '../epoch.ts';
import { IS_RESEND_JOB } from '../webhooks/webhookTables.ts';

/** What a start sends: also what is sent again to an inactive webhook. */
const QUEUED = `select count(*) from queue q join webhook w on w.seq = q.webhook_seq
  where w.deleted_at is null and (w.active = 1 or q.sent_while_inactive = 1)`;
const PENDING = `select cast(coalesce(sum(l.accepted - l.delivered - l.failed - l.discarded), 0) as bigint)
  from webhook w join webhook_ledger l on l.webhook_seq = w.seq where w.active = 1 and w.deleted_at is null`;
const HOLD = `update webhook set active = 0, deactivated_reason = $1, deactivated_at = $2, modified_at = $2, revision = revision + 1
  where active = 1 and deleted_at is null returning seq`;
const HOLD_RESENDS = 'update queue set sent_while_inactive = 0 where sent_while_inactive = 1';
const RESEND_JOBS = `${IS_RESEND_JOB} and ended_at is null`;
const REASON = 'Its deliveries are held after a restore. Activate it to send them, or discard them.';

const LAST_SEQUENCE = 'select cast(coalesce(max(n), 0) as bigint) from event_sequence';

export interface EpochOptions {
  readonly now: number;
  /** Whether all webhooks are deactivated, so that nothing is sent before a person has decided. */
  readonly holds: boolean;
  /** The last sequence number that is known from elsewhere, such as the store before the restore. */
  readonly lastSequence?: number;
  /** Whether the store has a queue of deliveries. A backup of an earlier version may have none. */
  readonly hasQueue: boolean;
}

export interface BegunEpoch {
  /** The deliveries that were pending in the backup. They may have been sent since. */
  readonly pending: number;
  /** The jobs in the backup that send deliveries again. */
  readonly resendJobs: number;
  /** The webhooks that were deactivated. */
  readonly held: number;
}

/** The highest number that a service of this store has used, or may have used before a restore. */
export function* readLastSequence(): Script<number> {
  const [last = 0] = yield* numbers(LAST_SEQUENCE);
  return Math.max(last, yield* readEpoch());
}

export function* beginEpoch({ now, holds, lastSequence = 0, hasQueue }: EpochOptions): Script<BegunEpoch> {
  const [pending = 0] = yield* numbers(hasQueue ? QUEUED : PENDING);
  const [resendJobs = 0] = yield* numbers(`select count(*) from job where ${RESEND_JOBS}`);
  // The time in milliseconds is above any number of events, and above that of an earlier restore of the same backup.
  const after = Math.max(now, lastSequence, yield* readLastSequence());
  yield* rows('update event_sequence set n = $1', after);
  yield* writeEpoch(after);
  if (!holds) return { pending, resendJobs, held: 0 };
  if (hasQueue) yield* rows(HOLD_RESENDS);
  yield* rows(`update job set is_cancelled = 1 where ${RESEND_JOBS}`);
  return { pending, resendJobs, held: (yield* rows(HOLD, REASON, now)).length };
}
