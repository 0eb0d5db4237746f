import type { Job, Message } from '../answers.ts';

export interface NumberedMessage extends Message {
  readonly number: number;
}

/** A time during which the server did not answer. `to` is undefined while it does not. */
export interface Outage {
  readonly from: number;
  readonly to: number | undefined;
  /** The number of the last message before it. */
  readonly after: number;
}

export interface FollowedJob {
  readonly job: Job | undefined;
  readonly messages: readonly NumberedMessage[];
  readonly outages: readonly Outage[];
  readonly isOver: boolean;
  /** Why the server does not show the job to this user, if it answers so. */
  readonly refusal?: Error;
}

export function withMessages(before: FollowedJob, arrived: readonly NumberedMessage[]): FollowedJob {
  const last = before.messages.at(-1)?.number ?? 0;
  const more = arrived.filter(({ number }) => number > last);
  return more.length === 0 ? before : { ...before, messages: [...before.messages, ...more] };
}

export function withOutage(before: FollowedJob, now: number): FollowedJob {
  const isKnown = before.outages.at(-1)?.to === undefined && before.outages.length > 0;
  if (isKnown || before.isOver) return before;
  const after = before.messages.at(-1)?.number ?? 0;
  return { ...before, outages: [...before.outages, { from: now, to: undefined, after }] };
}

export function withReturn(before: FollowedJob, now: number): FollowedJob {
  const last = before.outages.at(-1);
  if (last === undefined || last.to !== undefined) return before;
  return { ...before, outages: [...before.outages.slice(0, -1), { ...last, to: now }] };
}
