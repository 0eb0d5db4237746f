// The tables of the webhooks area. Numbers that the database assigns (`seq`) link them; the area knows webhooks by `id`.
import type { DeliveryTransition } from '../../model/deliveryState.ts';
import { DELIVERY_STATES, DELIVERY_TRANSITIONS, RESENDABLE_STATES } from '../../model/deliveryState.ts';
import type { FailureHistory } from '../../webhooks/policy/failureWindow.ts';
import { codec, flag, integer, json, oneOf, optional, text } from '../engine/codec.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Script, Value } from '../engine/script.ts';
import { numbers as readNumbers, rows, unread } from '../engine/script.ts';
import { table } from '../engine/table.ts';

export const scopes = codec({ folder: text('folder'), name: text('name'), type: text('type') });

export const webhooks = table('webhook', {
  id: text('id'),
  scope: scopes,
  name: text('hook_name'),
  hookUrl: text('url'),
  active: flag('active'),
  changeTypes: json<readonly string[]>('change_types'),
  contentType: oneOf('content_type', ['application/json', 'application/x-www-form-urlencoded']),
  sealed: text('sealed'),
  signatureHeader: text('signature_header'),
  receiverSignals: flag('receiver_signals'),
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
export const policies = table('delivery_policy', {
  notificationAttempts: integer('attempts'),
  notificationTimeOutInSeconds: integer('timeout_s'),
  notificationElapsedTimeInSeconds: integer('wait_s'),
  daysInPast: integer('days'),
  numberOfFailures: integer('failures'),
});

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
  state: oneOf('state', DELIVERY_STATES),
  dueAt: integer('due_at'),
  fence: integer('fence'),
  attempts: integer('attempts'),
  /** Attempts since it was last made pending. */
  roundAttempts: integer('round_attempts'),
  created: integer('created_at'),
  settledAt: optional(integer('settled_at')),
  /** When it first failed, so that it is counted once in the failure window. */
  failedAt: optional(integer('failed_at')),
  /** While it is sent again: the state that it had. */
  resendOf: optional(oneOf('resend_of', RESENDABLE_STATES)),
  /** Whether a resend was requested while its webhook was inactive. Only pending deliveries have it; activation clears it. */
  isSentWhileInactive: flag('sent_while_inactive'),
};
export const deliveries = table('delivery', deliveryFields);

/**
 * The deliveries that are being sent. Each belongs to the replica that sends it until the lease ends. Nothing else changes the columns
 * that a claim copies from its delivery, so settling reads the claim only. The fence is that of the delivery plus one, and the delivery
 * takes it over when the claim ends: what is done for an ended claim has no effect.
 */
export const claims = table('claim', {
  delivery: integer('delivery_id'),
  webhook: integer('webhook_seq'),
  fence: integer('fence'),
  attempts: deliveryFields.attempts,
  roundAttempts: deliveryFields.roundAttempts,
  failedAt: deliveryFields.failedAt,
  resendOf: deliveryFields.resendOf,
  owner: text('owner'),
  leaseUntil: integer('lease_until'),
});

export const fences = claims.pick('delivery', 'fence');
/** The condition that a claim is one of a batch of `fences`. */
export const hasFence = (dialect: Dialect, parameter: string): string =>
  `(delivery_id, fence) in (select ${fences.list('item')} from ${fences.relation(dialect, parameter)})`;

/**
 * `alias` is that of the delivery. Not `exists`: a plan that PostgreSQL makes while there are no claims would read all of them for each
 * delivery, and may be used for hours. With `in` it reads them once.
 */
export const isClaimed = (alias: string): string => `${alias}.id in (select delivery_id from claim)`;
export const isUnclaimed = (alias: string): string => `${alias}.id not in (select delivery_id from claim)`;

/**
 * Ends the claims that meet a condition, and returns the ids of their deliveries as JSON. The end of a claim locks the claim before its
 * delivery, so that two of them cannot deadlock.
 */
export function* endClaims({ isIn }: Dialect, condition: string, ...values: readonly Value[]): Script<string> {
  const ended = yield* readNumbers(`delete from claim where ${condition} returning delivery_id`, ...values);
  const ids = JSON.stringify(ended);
  yield* unread(rows(`update delivery set fence = fence + 1 where id ${isIn('$1', 'bigint')}`, ids));
  return ids;
}

/**
 * Locks deliveries that meet a condition and returns their ids. Whether they are claimed must be asked after that: a claim locks its
 * deliveries too, so it is then visible or cannot be made.
 */
export function lockDeliveries({ forUpdate }: Dialect, condition: string, ...values: readonly Value[]) {
  return readNumbers(`select id from delivery where ${condition}${forUpdate}`, ...values);
}

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
