import type { ClaimRequest, ClaimedDelivery, WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import type { Row, Script } from '../engine/script.ts';
import { integer, row, rows, text } from '../engine/script.ts';

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

/** To the front, before all that has come since: its turn had come already. */
const TAKE_BACK = 'update delivery set owner = null, due_at = created_at';

type Part = Pick<
  WebhookStore,
  'batchSize' | 'dueTimes' | 'claim' | 'returnClaims' | 'expireClaims' | 'expireAllLeases'
>;

export function claimMethods(needs: TableDependencies): Part {
  const { dialect } = needs.engine;
  const { each, forUpdate, skipLocked } = dialect;

  /** For many webhooks in one statement, where the engine can; else one after the other, which costs nothing where nothing travels. */
  function* claimAll(wanted: ClaimRequest, webhooks: ClaimRequest['quotas']): Script<readonly Row[]> {
    if (!dialect.hasLateral) {
      const taken: Row[] = [];
      for (const { number, limit } of webhooks) taken.push(...(yield* claimOf(wanted, number, limit)));
      return taken;
    }
    return yield* rows(
      `update delivery set owner = $4, due_at = $3, fence = fence + 1 where id in (
         select found.id from ${each('$1')} cross join lateral (
           select id from delivery where webhook_seq = cast(item.value ->> 0 as bigint) and state = 'pending' and due_at <= $2
           order by due_at, id limit cast(item.value ->> 1 as bigint)${skipLocked}) as found)
       returning id, webhook_seq, event_seq, fence, attempts`,
      JSON.stringify(webhooks.map(({ number, limit }) => [number, limit])),
      wanted.now,
      wanted.leaseUntil,
      wanted.owner,
    );
  }

  function* claimOf(wanted: ClaimRequest, number: number, limit: number): Script<readonly Row[]> {
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
    wanted: ClaimRequest,
    number: number,
    limit: number,
    { through, at }: Pace,
    pacedUntil: Map<number, number>,
  ): Script<readonly Row[]> {
    const stepMs = 1000 / wanted.pacePerSecond;
    // A second's worth at the most, however long nobody has asked; and a mark from the future is of a clock that was set back.
    const from = Math.min(Math.max(at, wanted.now - 1000), wanted.now);
    const allowed = Math.min(limit, Math.floor((wanted.now - from) / stepMs));
    if (allowed < 1) {
      pacedUntil.set(number, Math.ceil(from + stepMs));
      return [];
    }
    const taken = yield* claimOf(wanted, number, allowed);
    const next = Math.round(from + taken.length * stepMs);
    if (taken.length === allowed) pacedUntil.set(number, Math.ceil(next + stepMs));
    // What was tried waits for its retry, and no longer for the release. (`+ 0` keeps SQLite from reading all history by id.)
    const left = yield* row(
      `select 1 as yes from delivery where webhook_seq = $1 and state = 'pending' and owner is null and id + 0 <= $2
         and (round_attempts = 0 or due_at <= $3) order by due_at limit 1`,
      number,
      through,
      wanted.now,
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
      `select seq, id, body from event where seq in (select cast(value ->> 0 as bigint) from ${each('$1')})`,
      JSON.stringify(events),
    );
    return new Map(found.map((one) => [integer(one, 'seq'), one]));
  }

  return {
    batchSize: dialect.atOnce,

    async dueTimes() {
      const found = await needs.engine.query(DUE_TIMES);
      return new Map(found.map((one) => [integer(one, 'seq'), integer(one, 'due')]));
    },

    // A claim that a power failure forgets was in flight, and is made again. So nobody waits for a disk before sending.
    claim: (wanted) =>
      needs.engine.writeUnflushed(function* () {
        const open = yield* rows(
          `select w.seq, w.revision, l.paced_through, l.paced_at from webhook w join webhook_ledger l on l.webhook_seq = w.seq
           where w.active = 1 and w.seq in (select cast(value ->> 0 as bigint) from ${each('$1')})`,
          JSON.stringify(wanted.quotas.map(({ number }) => [number])),
        );
        const byNumber = new Map(open.map((one) => [integer(one, 'seq'), one]));
        const isPaced = (number: number): boolean => byNumber.get(number)?.['paced_through'] !== null;
        const active = wanted.quotas.filter(({ number }) => byNumber.has(number));
        const pacedUntil = new Map<number, number>();
        const taken = [
          ...(yield* claimAll(
            wanted,
            active.filter(({ number }) => !isPaced(number)),
          )),
        ];
        // In the order in which everyone locks ledgers.
        const paced = active.filter(({ number }) => isPaced(number)).toSorted((a, b) => a.number - b.number);
        for (const { number, limit } of paced) {
          const mark = yield* row(
            `select paced_through, paced_at from webhook_ledger where webhook_seq = $1 and paced_through is not null${forUpdate}`,
            number,
          );
          taken.push(
            ...(mark === undefined
              ? yield* claimOf(wanted, number, limit)
              : yield* pacedClaim(
                  wanted,
                  number,
                  limit,
                  { through: integer(mark, 'paced_through'), at: integer(mark, 'paced_at') },
                  pacedUntil,
                )),
          );
        }
        if (taken.length === 0) return { claimed: [], pacedUntil };
        const events = yield* bodiesOf(taken);
        const claimed = taken.map((one): ClaimedDelivery => {
          const event = events.get(integer(one, 'event_seq'));
          const webhook = byNumber.get(integer(one, 'webhook_seq'));
          if (event === undefined || webhook === undefined)
            throw new Error(`delivery ${integer(one, 'id')} has no event or webhook`);
          return {
            delivery: integer(one, 'id'),
            webhook: integer(webhook, 'seq'),
            revision: integer(webhook, 'revision'),
            fence: integer(one, 'fence'),
            attempts: integer(one, 'attempts'),
            messageId: text(event, 'id'),
            body: text(event, 'body'),
          };
        });
        return { claimed, pacedUntil };
      }),

    async returnClaims(claimed, dueAt) {
      if (claimed.length === 0) return;
      await transaction(needs, { closedWhen: 'never' }, () =>
        rows(
          `update delivery set owner = null, due_at = $2 from ${each('$1')}
           where delivery.id = cast(value ->> 0 as bigint) and fence = cast(value ->> 1 as bigint) and state = 'pending'`,
          JSON.stringify(claimed.map(({ delivery, fence }) => [delivery, fence])),
          dueAt,
        ),
      );
    },

    async expireClaims(now) {
      const expired = 'owner is not null and due_at <= $1';
      if ((await needs.engine.query(`select 1 as yes from delivery where ${expired} limit 1`, now)).length === 0)
        return;
      await transaction(needs, { closedWhen: 'never' }, () => rows(`${TAKE_BACK} where ${expired}`, now));
    },

    expireAllLeases: () =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        yield* rows(`update job set lease_until = 0 where state = 'running'`);
        yield* rows(`${TAKE_BACK} where owner is not null`);
      }),
  };
}
