// The tables of the webhooks area. Numbers that the database assigns (`seq`) link them; the area knows webhooks by `id`.
import type { DeliveryTransition } from '../../model/deliveryState.ts';
import { DELIVERY_STATES, DELIVERY_TRANSITIONS, RESENDABLE_STATES } from '../../model/deliveryState.ts';
import { DELIVERY_POLICY } from '../../model/entity/deliveryPolicy.ts';
import { WEBHOOK } from '../../model/entity/webhook.ts';
import type { FailureHistory } from '../../webhooks/policy/failureWindow.ts';
import { codec, flag, integer, json, oneOf, optional, text } from '../engine/codec.ts';
import type { Dialect } from '../engine/dialect.ts';
import { columnsOf } from '../engine/entityColumns.ts';
import type { Script } from '../engine/script.ts';
import { numbers as readNumbers, rows, unread } from '../engine/script.ts';
import { table } from '../engine/table.ts';

export const scopes = codec({ folder: text('folder'), name: text('name'), type: text('type') });

export const webhooks = table('webhook', {
  id: text('id'),
  scope: scopes,
  ...columnsOf(WEBHOOK),
  sealed: text('sealed'),
  owner: text('owner'),
  created: integer('created_at'),
  modified: integer('modified_at'),
  revision: integer('revision'),
  deactivation: optional(codec({ reason: text('deactivated_reason'), at: integer('deactivated_at') })),
  failures: json<FailureHistory>('failures'),
});

/** The primary key of a webhook, which the database assigns. Other tables refer to it as `webhook_seq`. */
export const seq = integer('seq');

export const ledgers = table('webhook_ledger', {
  accepted: integer('accepted'),
  delivered: integer('delivered'),
  failed: integer('failed'),
  discarded: integer('discarded'),
  last: optional(
    codec({
      at: integer('last_at'),
      kind: text('last_kind'),
      status: optional(integer('last_status')),
      reason: text('last_reason'),
    }),
  ),
  lastSuccess: optional(integer('last_success_at')),
  pausedUntil: optional(integer('paused_until')),
});
export const numberedLedgers = ledgers.with({ webhook: integer('webhook_seq') });

/** A table with one row. */
export const policies = table('delivery_policy', columnsOf(DELIVERY_POLICY));

export const events = table('event', {
  id: text('id'),
  scope: scopes,
  eventId: optional(text('event_id')),
  type: text('event_type'),
  at: integer('at'),
  sequence: integer('sequence'),
  body: text('body'),
});

/** The last sequence number of each scope. */
export const eventSequences = table('event_sequence', { scope: scopes, n: integer('n') });

const deliveryFields = {
  id: integer('id'),
  event: integer('event_seq'),
  webhook: integer('webhook_seq'),
  /** `pending` exactly as long as it is in the queue. */
  state: oneOf('state', DELIVERY_STATES),
  /** The last fence that it had in the queue. If it is sent again, fences go on from there. */
  fence: integer('fence'),
  attempts: integer('attempts'),
  created: integer('created_at'),
  settledAt: optional(integer('settled_at')),
  /** When it first failed, so that it is counted once in the failure window. */
  failedAt: optional(integer('failed_at')),
  /** Whether it is failed, for the index of failed ones. */
  isFailed: flag('is_failed'),
};
export const deliveries = table('delivery', deliveryFields);

/**
 * The pending deliveries, with all that a claim and its settlement need. While one is claimed, it belongs to the replica that sends it until
 * its lease ends. Each claim raises the fence: what is done for an earlier claim has no effect.
 */
export const queue = table('queue', {
  delivery: integer('delivery_id'),
  event: deliveryFields.event,
  webhook: deliveryFields.webhook,
  created: deliveryFields.created,
  dueAt: integer('due_at'),
  fence: deliveryFields.fence,
  attempts: deliveryFields.attempts,
  /** Attempts since it was last made pending. */
  roundAttempts: integer('round_attempts'),
  failedAt: deliveryFields.failedAt,
  /** While it is sent again: the state that it had. */
  resendOf: optional(oneOf('resend_of', RESENDABLE_STATES)),
  /** Whether a resend was requested while its webhook was inactive. Activation clears it. */
  isSentWhileInactive: flag('sent_while_inactive'),
});

export const fences = queue.pick('delivery', 'fence');
/** The condition that a delivery in the queue has the fence that it has in a batch of `fences`. */
export const hasFence = (dialect: Dialect, parameter: string): string =>
  `(delivery_id, fence) in (select ${fences.list('item')} from ${fences.relation(dialect, parameter)})`;

/** The claims that one transaction made. They are listed because the queue has no index by owner or lease. */
export const claims = table('claim', {
  owner: text('owner'),
  leaseUntil: integer('lease_until'),
  deliveries: json<readonly number[]>('deliveries'),
});

export const attempts = table('attempt', {
  delivery: integer('delivery_id'),
  number: integer('number'),
  at: integer('at'),
  durationMs: integer('duration_ms'),
  kind: oneOf('kind', ['accepted', 'refused', 'unreachable']),
  status: optional(integer('status')),
  reason: text('reason'),
  answer: text('answer'),
  /** Unknown for attempts of older releases. */
  url: optional(text('url')),
  /** Whether the delivery was delivered or failed with it. A delivered one that is sent again is not delivered again. */
  settles: flag('settles'),
});

/** A condition that only deliveries meet which may make this transition. Literals, because partial indexes need them. */
export function stateAllows(transition: DeliveryTransition): string {
  const states = DELIVERY_TRANSITIONS[transition].from.map((state) => `'${state}'`);
  return states.length === 1 ? `state = ${states[0]}` : `state in (${states.join(', ')})`;
}

export const WEBHOOK_NUMBER = 'select seq from webhook where id = $1';

/** Locks the ledgers of these webhooks. Every writer locks ledgers first and in this order, so that writers cannot deadlock. */
export function ledgerLock({ forUpdate, isIn }: Dialect): (numbers: Iterable<number>) => Script<void> {
  const sql = `select webhook_seq from webhook_ledger where webhook_seq ${isIn('$1', 'bigint')}
    order by webhook_seq${forUpdate}`;
  return function* lock(numbers) {
    // On SQLite there is nothing to lock, because it has one writer at a time.
    if (forUpdate !== '') yield* unread(rows(sql, JSON.stringify([...numbers])));
  };
}

/** Locks the ledger of a webhook and returns its number; undefined when there is no such webhook. */
export function* lockLedgerOf(dialect: Dialect, webhook: string): Script<number | undefined> {
  const [number] = yield* readNumbers(WEBHOOK_NUMBER, webhook);
  if (number !== undefined) yield* ledgerLock(dialect)([number]);
  return number;
}

/** A condition on `job`: one that sends deliveries again. */
export const IS_RESEND_JOB = `kind in ('webhooks.redeliver', 'webhooks.redeliverHeld')`;
