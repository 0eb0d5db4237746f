import type { Attempted, Claimed, SettledOne, SettleRules, WebhookStore } from '../webhooks/webhookStore.ts';
import type { DeliveryPolicy } from '../webhooks/policy.ts';
import { localActor } from '../foundation/actor.ts';
import type { ChangeNeeds, Raise } from './change.ts';
import { change, tell } from './change.ts';
import { lockLedgers } from './eventTables.ts';
import type { Row, Script, Value } from './script.ts';
import { integer, optionalInteger, row, rows, text } from './script.ts';
import { WEBHOOK, readPolicy, updateWebhook, webhookOf } from './webhookTables.ts';

const COURIER = localActor('courier');

/** Steps from webhook to webhook along the index: its cost grows with those that have something to do, not with what waits. */
const DUE_TIMES = `with recursive ready (seq) as (
    select min(webhook_seq) from delivery where state = 'pending'
    union all
    select (select min(webhook_seq) from delivery where state = 'pending' and webhook_seq > ready.seq)
    from ready where ready.seq is not null)
  select ready.seq, (select min(due_at) from delivery where state = 'pending' and webhook_seq = ready.seq) as due
  from ready join webhook on webhook.seq = ready.seq where webhook.active = 1`;

interface Pace {
  readonly through: number;
  readonly at: number;
}

/** What of a batch still belongs to whoever attempted it. */
interface Held {
  readonly attempted: Attempted;
  readonly attempts: number;
  readonly roundAttempts: number;
  readonly wasCounted: boolean;
}

interface Judged extends Held {
  readonly verdict: ReturnType<SettleRules['verdict']>;
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

type Part = Pick<WebhookStore, 'dueTimes' | 'claim' | 'settle' | 'release' | 'takeBackLeases'>;

export function courierTables(needs: ChangeNeeds): Part {
  const { dialect } = needs.engine;
  const { each, forUpdate, skipLocked } = dialect;

  function* claimOf(wanted: Parameters<Part['claim']>[0], number: number, limit: number): Script<readonly Row[]> {
    return yield* rows(
      `update delivery set owner = $4, due_at = $3, fence = fence + 1 where id in (
         select id from delivery where webhook_seq = $1 and state = 'pending' and due_at <= $2
         order by due_at, id limit $5${skipLocked})
       returning id, webhook_seq, event_seq, fence, attempts`,
      number,
      wanted.now,
      wanted.leaseUntil,
      wanted.owner,
      limit,
    );
  }

  /** A release at a measured pace, the same over all replicas: whoever claims moves the mark under its lock. */
  function* pacedClaim(
    wanted: Parameters<Part['claim']>[0],
    number: number,
    limit: number,
    { through, at }: Pace,
    later: Map<number, number>,
  ): Script<readonly Row[]> {
    const stepMs = 1000 / wanted.pacePerSecond;
    // A second's worth at the most, however long nobody has asked.
    const from = Math.max(at, wanted.now - 1000);
    const allowed = Math.min(limit, Math.floor((wanted.now - from) / stepMs));
    if (allowed < 1) {
      later.set(number, Math.ceil(from + stepMs));
      return [];
    }
    const taken = yield* claimOf(wanted, number, allowed);
    const next = Math.round(from + taken.length * stepMs);
    later.set(number, Math.ceil(next + stepMs));
    const left = yield* row(
      `select 1 as yes from delivery where webhook_seq = $1 and state = 'pending' and owner is null and id <= $2 limit 1`,
      number,
      through,
    );
    yield* rows(
      'update webhook_ledger set paced_at = $2, paced_through = $3 where webhook_seq = $1',
      number,
      next,
      left === undefined ? null : through,
    );
    return taken;
  }

  function* bodiesOf(claimed: readonly Row[]): Script<ReadonlyMap<number, Row>> {
    const events = [...new Set(claimed.map((one) => integer(one, 'event_seq')))].map((one) => [one]);
    const found = yield* rows(
      `select seq, id, event_type, body from event where seq in (select cast(value ->> 0 as bigint) from ${each('$1')})`,
      JSON.stringify(events),
    );
    return new Map(found.map((one) => [integer(one, 'seq'), one]));
  }

  /** Reads again, under lock, what a batch is about; what another has claimed since is not ours to settle. */
  function* stillHeld(done: readonly Attempted[]): Script<readonly Held[]> {
    const found = yield* rows(
      `select id, fence, attempts, round_attempts, failed_at from delivery
       where state = 'pending' and id in (select cast(value ->> 0 as bigint) from ${each('$1')})
       order by id${forUpdate}`,
      JSON.stringify(done.map(({ delivery }) => [delivery])),
    );
    const byId = new Map(found.map((one) => [integer(one, 'id'), one]));
    return done.flatMap((attempted) => {
      const one = byId.get(attempted.delivery);
      if (one === undefined || integer(one, 'fence') !== attempted.fence) return [];
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
         settled_at = cast(value ->> 5 as bigint), failed_at = coalesce(failed_at, cast(value ->> 6 as bigint))
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
    raise: Raise,
  ): Script<number> {
    const failed = judged.filter(({ verdict }) => verdict.kind === 'failed' || verdict.kind === 'gone');
    const numbers = [...new Set(failed.map(({ attempted }) => attempted.webhook))].sort((a, b) => a - b);
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
        isGone: own.some(({ verdict }) => verdict.kind === 'gone'),
      });
      yield* updateWebhook(decision.change);
      yield* tell(COURIER, needs.clock.now(), decision);
      if (webhook.active && !decision.change.active) {
        deactivated += 1;
        yield* raise('webhooks');
      }
    }
    return deactivated;
  }

  return {
    async dueTimes() {
      const found = await needs.engine.query(DUE_TIMES);
      return new Map(found.map((one) => [integer(one, 'seq'), integer(one, 'due')]));
    },

    claim: (wanted) =>
      change(needs, { closedWhen: 'never' }, function* () {
        const open = yield* rows(
          `select w.seq, w.revision, l.paced_through, l.paced_at from webhook w join webhook_ledger l on l.webhook_seq = w.seq
           where w.active = 1 and w.seq in (select cast(value ->> 0 as bigint) from ${each('$1')})`,
          JSON.stringify(wanted.webhooks.map(({ number }) => [number])),
        );
        const byNumber = new Map(open.map((one) => [integer(one, 'seq'), one]));
        const [taken, revisions, later] = [[] as Row[], new Map<number, number>(), new Map<number, number>()];
        // In the order in which everyone locks ledgers.
        for (const { number, limit } of [...wanted.webhooks].sort((a, b) => a.number - b.number)) {
          const found = byNumber.get(number);
          if (found === undefined) continue;
          const isPaced = optionalInteger(found, 'paced_through') !== undefined;
          const locked = isPaced
            ? yield* row(
                `select paced_through, paced_at from webhook_ledger where webhook_seq = $1 and paced_through is not null${forUpdate}`,
                number,
              )
            : undefined;
          const claimed =
            locked === undefined
              ? yield* claimOf(wanted, number, limit)
              : yield* pacedClaim(
                  wanted,
                  number,
                  limit,
                  { through: integer(locked, 'paced_through'), at: integer(locked, 'paced_at') },
                  later,
                );
          if (claimed.length > 0) revisions.set(number, integer(found, 'revision'));
          taken.push(...claimed);
        }
        if (taken.length === 0) return { claimed: [], revisions, later };
        const events = yield* bodiesOf(taken);
        const claimed = taken.map((one): Claimed => {
          const event = events.get(integer(one, 'event_seq'));
          if (event === undefined) throw new Error(`delivery ${integer(one, 'id')} has no event`);
          return {
            delivery: integer(one, 'id'),
            webhook: integer(one, 'webhook_seq'),
            fence: integer(one, 'fence'),
            attempts: integer(one, 'attempts'),
            messageId: text(event, 'id'),
            eventType: text(event, 'event_type'),
            body: text(event, 'body'),
          };
        });
        return { claimed, revisions, later };
      }),

    settle: (done, rules) =>
      change(needs, { closedWhen: 'never' }, function* (raise) {
        yield* lockLedgers(
          dialect,
          JSON.stringify([...new Set(done.map(({ webhook }) => webhook))].map((one) => [one])),
        );
        const held = yield* stillHeld(done);
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
        const settled = done.map(({ delivery, webhook }): SettledOne => ({
          delivery,
          webhook,
          verdict: verdicts.get(delivery) ?? 'lost',
        }));
        return { settled, deactivated };
      }),

    async release(claimed, dueAt) {
      if (claimed.length === 0) return;
      await change(needs, { closedWhen: 'never' }, () =>
        rows(
          `update delivery set owner = null, due_at = $2 from ${each('$1')}
           where delivery.id = cast(value ->> 0 as bigint) and fence = cast(value ->> 1 as bigint) and state = 'pending'`,
          JSON.stringify(claimed.map(({ delivery, fence }) => [delivery, fence])),
          dueAt,
        ),
      );
    },

    async takeBackLeases(now) {
      const taken = await change(needs, { closedWhen: 'never' }, function* () {
        yield* rows(`update job set lease_until = 0 where state = 'running'`);
        // A lease that has run out is due already; the others lie ahead, where the index finds them.
        return yield* rows(
          `update delivery set owner = null, due_at = $1 where state = 'pending' and owner is not null
             and webhook_seq in (select seq from webhook) and due_at > $1 returning id`,
          now,
        );
      });
      return taken.length;
    },
  };
}
