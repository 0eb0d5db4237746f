import { localActor } from '../../model/actor.ts';
import type { DeliveryPolicy } from '../../webhooks/policy/policy.ts';
import type { FinishedAttempt, SettledDelivery, SettleRules, WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { TableDependencies, RaiseRevision } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import { lockLedgers } from './events.ts';
import type { Row, Script, Value } from '../engine/script.ts';
import { integer, optionalInteger, row, rows } from '../engine/script.ts';
import { WEBHOOK, readPolicy, updateWebhook, webhookOf } from './webhooks.ts';

const COURIER = localActor('courier');

/** What of a batch still belongs to whoever attempted it. */
interface Held {
  readonly attempted: FinishedAttempt;
  readonly attempts: number;
  readonly roundAttempts: number;
  readonly wasCounted: boolean;
}

interface Judged extends Held {
  readonly verdict: ReturnType<SettleRules['verdict']>;
}

/**
 * A claim is not flushed, so a crash of the store may have forgotten it: then the fence is the one before, and nobody has it.
 * Once settled the fence is ours, so that the same outcome, sent again because the answer was lost, changes nothing.
 */
function isOurs(found: Row, owner: string, fence: number): boolean {
  const kept = integer(found, 'fence');
  return found['owner'] === null ? kept === fence - 1 : found['owner'] === owner && kept === fence;
}

function settledRow({ attempted, attempts, roundAttempts, verdict, wasCounted }: Judged): readonly Value[] {
  const { delivery, endedAt } = attempted;
  const isOver = verdict.kind !== 'retry';
  const hasFailed = verdict.kind === 'failed' || verdict.kind === 'gone';
  return [
    delivery,
    verdict.kind === 'delivered' ? 'delivered' : hasFailed ? 'failed' : 'pending',
    verdict.kind === 'retry' ? verdict.at : endedAt,
    attempts + 1,
    isOver ? 0 : roundAttempts + 1,
    isOver ? endedAt : null,
    hasFailed && !wasCounted ? endedAt : null,
    attempted.fence,
  ];
}

function attemptRow({ attempted, attempts }: Judged): readonly Value[] {
  const { delivery, startedAt, outcome } = attempted;
  const { kind, durationMs, answer } = outcome;
  const [status, reason] = outcome.kind === 'unreachable' ? [null, outcome.reason] : [outcome.status, ''];
  return [delivery, attempts + 1, startedAt, Math.round(durationMs), kind, status, reason, answer];
}

/** Per webhook: delivered, failed, and how the last attempt went. */
function ledgerRows(judged: readonly Judged[]): readonly (readonly Value[])[] {
  const perWebhook = new Map<number, { delivered: number; failed: number; last: Judged; success: number | null }>();
  for (const one of judged) {
    const { webhook, endedAt } = one.attempted;
    const sum = perWebhook.get(webhook) ?? { delivered: 0, failed: 0, last: one, success: null };
    perWebhook.set(webhook, sum);
    if (one.verdict.kind === 'delivered') [sum.delivered, sum.success] = [sum.delivered + 1, endedAt];
    if (one.verdict.kind === 'failed' || one.verdict.kind === 'gone') sum.failed += 1;
    if (endedAt >= sum.last.attempted.endedAt) sum.last = one;
  }
  return [...perWebhook.entries()].map(([webhook, { delivered, failed, last, success }]) => {
    const { outcome, endedAt } = last.attempted;
    const [status, reason] = outcome.kind === 'unreachable' ? [null, outcome.reason] : [outcome.status, ''];
    return [webhook, delivered, failed, endedAt, outcome.kind, status, reason, success];
  });
}

/** Writes down what came of attempts, with all that follows from it, in one transaction. */
export function settlementMethods(needs: TableDependencies): Pick<WebhookStore, 'settle'> {
  const { dialect } = needs.engine;
  const { each, forUpdate } = dialect;

  /** Reads again, under lock, what a batch is about. What another has claimed since is not ours to settle. */
  function* stillHeld(owner: string, done: readonly FinishedAttempt[]): Script<readonly Held[]> {
    const found = yield* rows(
      `select id, owner, fence, attempts, round_attempts, failed_at from delivery
       where state = 'pending' and id in (select cast(value ->> 0 as bigint) from ${each('$1')})
       order by id${forUpdate}`,
      JSON.stringify(done.map(({ delivery }) => [delivery])),
    );
    const byId = new Map(found.map((one) => [integer(one, 'id'), one]));
    return done.flatMap((attempted) => {
      const one = byId.get(attempted.delivery);
      if (one === undefined || !isOurs(one, owner, attempted.fence)) return [];
      return {
        attempted,
        attempts: integer(one, 'attempts'),
        roundAttempts: integer(one, 'round_attempts'),
        wasCounted: optionalInteger(one, 'failed_at') !== undefined,
      };
    });
  }

  function* signalsOf(held: readonly Held[]): Script<ReadonlySet<number>> {
    const refused = held.filter(({ attempted }) => attempted.outcome.kind === 'refused');
    if (refused.length === 0) return new Set();
    const found = yield* rows(
      `select seq from webhook where receiver_signals = 1 and seq in (select cast(value ->> 0 as bigint) from ${each('$1')})`,
      JSON.stringify([...new Set(refused.map(({ attempted }) => attempted.webhook))].map((one) => [one])),
    );
    return new Set(found.map((one) => integer(one, 'seq')));
  }

  function* write(judged: readonly Judged[]): Script<void> {
    yield* rows(
      `update delivery set state = value ->> 1, due_at = cast(value ->> 2 as bigint), owner = null,
         attempts = cast(value ->> 3 as bigint), round_attempts = cast(value ->> 4 as bigint),
         settled_at = cast(value ->> 5 as bigint), failed_at = coalesce(failed_at, cast(value ->> 6 as bigint)),
         fence = cast(value ->> 7 as bigint)
       from ${each('$1')} where delivery.id = cast(value ->> 0 as bigint)`,
      JSON.stringify(judged.map(settledRow)),
    );
    yield* rows(
      `insert into attempt (delivery_id, number, at, duration_ms, kind, status, reason, answer)
       select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), cast(value ->> 2 as bigint),
         cast(value ->> 3 as bigint), value ->> 4, cast(value ->> 5 as bigint), value ->> 6, value ->> 7
       from ${each('$1')}`,
      JSON.stringify(judged.map(attemptRow)),
    );
    yield* rows(
      `update webhook_ledger set delivered = delivered + cast(value ->> 1 as bigint),
         failed = failed + cast(value ->> 2 as bigint), last_at = cast(value ->> 3 as bigint), last_kind = value ->> 4,
         last_status = cast(value ->> 5 as bigint), last_reason = value ->> 6,
         last_success_at = coalesce(cast(value ->> 7 as bigint), last_success_at)
       from ${each('$1')} where webhook_seq = cast(value ->> 0 as bigint)`,
      JSON.stringify(ledgerRows(judged)),
    );
  }

  /** The failure window of each webhook that something failed for. Answers how many were deactivated. */
  function* countFailures(
    judged: readonly Judged[],
    policy: DeliveryPolicy,
    rules: SettleRules,
    raise: RaiseRevision,
  ): Script<number> {
    const failed = judged.filter(({ verdict }) => verdict.kind === 'failed' || verdict.kind === 'gone');
    const numbers = [...new Set(failed.map(({ attempted }) => attempted.webhook))].toSorted((a, b) => a - b);
    let deactivated = 0;
    for (const number of numbers) {
      const found = yield* row(`${WEBHOOK} and w.seq = $1${forUpdate}`, number);
      if (found === undefined) continue;
      const webhook = webhookOf(found);
      const own = failed.filter(({ attempted }) => attempted.webhook === number);
      const decision = rules.afterFailures({
        webhook,
        policy,
        failedAt: own.filter(({ wasCounted }) => !wasCounted).map(({ attempted }) => attempted.endedAt),
        now: Math.max(...own.map(({ attempted }) => attempted.endedAt)),
        isGone: own.some(({ verdict }) => verdict.kind === 'gone'),
      });
      yield* updateWebhook(decision.change);
      yield* recordDecision(COURIER, needs.clock.now(), decision);
      if (webhook.active && !decision.change.active) {
        deactivated += 1;
        yield* raise('webhooks');
      }
    }
    return deactivated;
  }

  return {
    settle: (owner, done, rules) =>
      transaction(needs, { closedWhen: 'never' }, function* (raise) {
        yield* lockLedgers(
          dialect,
          JSON.stringify([...new Set(done.map(({ webhook }) => webhook))].map((one) => [one])),
        );
        const held = yield* stillHeld(owner, done);
        const policy = yield* readPolicy();
        const signals = yield* signalsOf(held);
        const judged = held.map((one) => ({
          ...one,
          verdict: rules.verdict(
            one.attempted,
            { attempts: one.roundAttempts + 1, receiverSignals: signals.has(one.attempted.webhook) },
            policy,
          ),
        }));
        const verdicts = new Map(judged.map(({ attempted, verdict }) => [attempted.delivery, verdict]));
        if (judged.length > 0) yield* write(judged);
        const deactivated = yield* countFailures(judged, policy, rules, raise);
        const settled = done.map(({ delivery, webhook }): SettledDelivery => ({
          delivery,
          webhook,
          verdict: verdicts.get(delivery) ?? 'lost',
        }));
        return { settled, deactivated };
      }),
  };
}
