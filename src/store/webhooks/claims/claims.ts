// Claims of deliveries: which webhooks are due, claiming their deliveries, and returning them. `claimEnds.ts` ends claims.
import type { ClaimQuota, ClaimRequest, WebhookStore } from '../../../webhooks/ports/webhookStore.ts';
import type { Decoded } from '../../engine/codec.ts';
import { codec, flag, integer, optional, text } from '../../engine/codec.ts';
import type { Dialect } from '../../engine/dialect.ts';
import type { Script } from '../../engine/script.ts';
import { row, rows, unread } from '../../engine/script.ts';
import type { TableDependencies } from '../../transaction.ts';
import { transaction } from '../../transaction.ts';
import { FREE, WITHOUT_PRESENCE, claimEndMethods } from './claimEnds.ts';
import { claims, fences, hasFence, queue, seq } from '../webhookTables.ts';

/** The deliveries of a webhook that may be claimed. One is the condition of a partial index, so they are literals. */
const CLAIMABLE = { ofActive: 'true', ofInactive: 'sent_while_inactive = 1' } as const;

/** Goes from webhook to webhook along the index: the cost grows with the webhooks that are due, not with their deliveries. */
function webhooksWith(name: string, claimable: string): string {
  return `${name} (seq) as (
    select min(webhook_seq) from queue where ${claimable}
    union all
    select (select min(webhook_seq) from queue where ${claimable} and webhook_seq > ${name}.seq)
    from ${name} where ${name}.seq is not null)`;
}
/** The few that are claimed are passed over: a webhook has no more of them than slots on all replicas. */
function firstDue(claimable: string, name: string): string {
  return `(select due_at from queue where ${claimable} and webhook_seq = ${name}.seq and owner is null
    order by due_at limit 1)`;
}
const DUE_TIMES = `with recursive ${webhooksWith('ready', CLAIMABLE.ofActive)}, ${webhooksWith('resent', CLAIMABLE.ofInactive)}
  select found.seq, case when l.paused_until > found.due then l.paused_until else found.due end as due from (
    select ready.seq, ${firstDue(CLAIMABLE.ofActive, 'ready')} as due
    from ready join webhook on webhook.seq = ready.seq where webhook.active = 1
    union all
    select resent.seq, ${firstDue(CLAIMABLE.ofInactive, 'resent')} as due
    from resent join webhook on webhook.seq = resent.seq where webhook.active = 0 and webhook.deleted_at is null) as found
  join webhook_ledger l on l.webhook_seq = found.seq`;
/** No time if all that could be claimed is claimed. Not a condition of the statement: PostgreSQL would look for each time twice. */
const dueTimes = codec({ number: seq, due: optional(integer('due')) });

const claimed = queue.pick('delivery', 'webhook', 'fence', 'attempts');
const claimedMessages = codec({ claim: claimed, messageId: text('message_id'), body: text('body') });
type ClaimedMessage = Decoded<typeof claimedMessages>;
const quotas = codec({ number: integer('webhook_seq'), limit: integer('quota') });

/** A webhook to claim from. Deliveries up to `pacedThrough` are released at a pace; it is undefined without such a release. */
const claimableWebhooks = codec({
  number: seq,
  revision: integer('revision'),
  isActive: flag('active'),
  pacedThrough: optional(integer('paced_through')),
  pausedUntil: optional(integer('paused_until')),
});
const pacing = codec({ through: integer('paced_through'), mark: integer('paced_at') });

/** `$2` is when the lease ends, `$3` is the owner. */
const CLAIM = 'update queue set owner = $3, lease_until = $2, fence = fence + 1';

/** The deliveries to claim of the webhook `item.webhook_seq`, first the one that is due longest. */
function claimableOf(claimable: string, now: string, limit: string): string {
  return `select delivery_id from queue
    where webhook_seq = item.webhook_seq and ${claimable} and due_at <= ${now} and owner is null
    order by due_at, delivery_id limit ${limit}`;
}

/** When webhooks may be claimed from again, by number, if this is known. */
type DueAgain = Map<number, number>;
type ClaimFrom = (request: ClaimRequest, from: readonly ClaimQuota[]) => Script<readonly ClaimedMessage[]>;

/** With one statement, which leaves out what another replica is claiming. */
function claimAmongReplicas(dialect: Dialect, claimable: string): ClaimFrom {
  const due = claimableOf(claimable, '$4', 'item.quota') + dialect.skipLocked;
  // PostgreSQL expects more claims than there are. Without the array it would read the whole queue to find them, and without `limit 1` all
  // events.
  const sql = `with claimed as (
      ${CLAIM} where delivery_id = any (array(
        select found.delivery_id from ${quotas.relation(dialect, '$1')} cross join lateral (${due}) as found))
      returning ${claimed.list()}, event_seq)
    select ${claimed.list('claimed')}, message.id as message_id, message.body
    from claimed cross join lateral (select id, body from event where seq = event_seq limit 1) as message`;
  return ({ now, leaseUntil, owner }, from) =>
    claimedMessages.all(sql, quotas.batch(dialect, from), leaseUntil, owner, now);
}

/**
 * For a single process. All webhooks have the same limit in the first statement, because SQLite allows no other; one statement for
 * each webhook would take four times as long.
 */
function claimAlone(dialect: Dialect, claimable: string): ClaimFrom {
  const FIND = `select found.delivery_id, found.webhook_seq, found.fence + 1 as fence, found.attempts, event.id as message_id, event.body
    from ${quotas.relation(dialect, '$1')}
      join queue as found on found.delivery_id in (${claimableOf(claimable, '$2', '$3')})
      join event on event.seq = found.event_seq order by found.due_at, found.delivery_id`;
  const CLAIM_FOUND = `${CLAIM} where delivery_id ${dialect.isIn('$1', 'bigint')}`;
  return function* claim({ now, leaseUntil, owner }, from) {
    const left = new Map(from.map(({ number, limit }) => [number, limit]));
    const found = yield* claimedMessages.all(FIND, quotas.batch(dialect, from), now, Math.max(0, ...left.values()));
    const taken = found.filter(({ claim: { webhook } }) => {
      const more = left.get(webhook) ?? 0;
      left.set(webhook, more - 1);
      return more > 0;
    });
    yield* rows(CLAIM_FOUND, JSON.stringify(taken.map(({ claim: { delivery } }) => delivery)), leaseUntil, owner);
    return taken;
  };
}

/** What is left of a release. A delivery that was tried waits for its retry, no longer for the release. */
const LEFT_TO_RELEASE = `select 1 as yes from queue where webhook_seq = $1 and owner is null
    and delivery_id + 0 <= $2 and (round_attempts = 0 or due_at <= $3) order by due_at limit 1`;

/**
 * Claims from webhooks whose release is paced. The mark is moved under the ledger's lock, so that all replicas together
 * keep the pace. (`delivery_id + 0`: without it SQLite walks the whole queue by id instead of using the index of due deliveries.)
 */
function claimAtPace({ forUpdate }: Dialect, claimFrom: ClaimFrom) {
  const readPacing = `select ${pacing.list()} from webhook_ledger
    where webhook_seq = $1 and paced_through is not null${forUpdate}`;
  return function* claim(
    request: ClaimRequest,
    quota: ClaimQuota,
    dueAgain: DueAgain,
  ): Script<readonly ClaimedMessage[]> {
    const { number } = quota;
    const { pace, now } = request;
    const release = yield* pacing.first(readPacing, number);
    if (release === undefined) return yield* claimFrom(request, [quota]);
    const limit = Math.min(quota.limit, pace.allowance(release.mark, now));
    if (limit < 1) {
      dueAgain.set(number, pace.nextAt(release.mark, now));
      return [];
    }
    const taken = yield* claimFrom(request, [{ number, limit }]);
    const mark = pace.advance(release.mark, now, taken.length);
    if (taken.length === limit) dueAgain.set(number, pace.nextAt(mark, now));
    const left = yield* row(LEFT_TO_RELEASE, number, release.through, now);
    yield* rows(
      'update webhook_ledger set paced_at = $2, paced_through = $3 where webhook_seq = $1',
      number,
      mark,
      left === undefined ? null : release.through,
    );
    return taken;
  };
}

export function claimMethods(dependencies: TableDependencies) {
  const { engine } = dependencies;
  const { dialect } = engine;
  const claimWhere = dialect.hasLateral ? claimAmongReplicas : claimAlone;
  const claimFrom = claimWhere(dialect, CLAIMABLE.ofActive);
  const claimFromInactive = claimWhere(dialect, CLAIMABLE.ofInactive);
  const claimPaced = claimAtPace(dialect, claimFrom);
  const CLAIMABLE_WEBHOOKS = `select w.seq, w.revision, w.active, l.paced_through, l.paused_until
    from webhook w join webhook_ledger l on l.webhook_seq = w.seq
    where w.deleted_at is null and w.seq ${dialect.isIn('$1', 'bigint')}`;
  const CLAMP = `update queue set due_at = case when round_attempts = 0 then cast($1 as bigint) else cast($2 as bigint) end
    where delivery_id in (select q.delivery_id from queue q join webhook w on w.seq = q.webhook_seq
      where q.due_at - $5 > case when w.receiver_signals = 1 then cast($3 as bigint) else cast($2 as bigint) end limit $4)
    returning delivery_id`;
  const IS_LISTED = `delivery_id ${dialect.isIn('$1', 'bigint')}`;
  const SHORTEN = `update queue set lease_until = $2 where ${IS_LISTED} and lease_until > $2`;
  const RETURN = `${FREE}, due_at = $3 where owner = $2 and ${hasFence(dialect, '$1')}`;

  return {
    ...claimEndMethods(dependencies),
    batchSize: dialect.atOnce,
    isInProcess: dialect.isInProcess,
    owner: engine.owner,

    async dueTimes() {
      const found = await engine.read(dueTimes.all(DUE_TIMES));
      return new Map(found.flatMap(({ number, due }) => (due === undefined ? [] : [[number, due]])));
    },

    // Not flushed, so that sending does not wait for a disk: a claim that a power failure loses is simply made again.
    claim: (request) =>
      engine.writeUnflushed(function* () {
        const wantedNumbers = JSON.stringify(request.quotas.map(({ number }) => number));
        const found = yield* claimableWebhooks.all(CLAIMABLE_WEBHOOKS, wantedNumbers);
        const byNumber = new Map(found.map((webhook) => [webhook.number, webhook]));
        const isActive = ({ number }: ClaimQuota): boolean => byNumber.get(number)?.isActive === true;
        const isPaced = ({ number }: ClaimQuota): boolean => byNumber.get(number)?.pacedThrough !== undefined;
        const dueAgain = new Map<number, number>();
        for (const { number, pausedUntil = 0 } of found)
          if (pausedUntil > request.now) dueAgain.set(number, pausedUntil);
        const wanted = request.quotas.filter(({ number }) => byNumber.has(number) && !dueAgain.has(number));
        const active = wanted.filter(isActive);
        const unpaced = active.filter((quota) => !isPaced(quota));
        // Resends are paced by the job that requests them.
        const inactive = wanted.filter((quota) => !isActive(quota));
        const messages = unpaced.length === 0 ? [] : [...(yield* claimFrom(request, unpaced))];
        if (inactive.length > 0) messages.push(...(yield* claimFromInactive(request, inactive)));
        // Sorted, because ledgers are locked in this order.
        for (const quota of active.filter(isPaced).toSorted((a, b) => a.number - b.number))
          messages.push(...(yield* claimPaced(request, quota, dueAgain)));
        if (messages.length > 0) {
          const { leaseUntil } = request;
          const isProven = request.owner !== engine.owner || engine.isPresent();
          const owner = isProven ? request.owner : WITHOUT_PRESENCE + request.owner;
          const made = { owner, leaseUntil, deliveries: messages.map(({ claim }) => claim.delivery) };
          yield* unread(claims.insert(made));
        }
        return {
          claimed: messages.map(({ claim, messageId, body }) => {
            const webhook = byNumber.get(claim.webhook);
            if (webhook === undefined) throw new Error(`delivery ${claim.delivery} has no webhook`);
            return { ...claim, revision: webhook.revision, messageId, body };
          }),
          dueAgain,
        };
      }),

    async returnClaims(owner, all, dueAt) {
      if (all.length === 0) return;
      await transaction(dependencies, { closedWhen: 'never' }, () =>
        rows(RETURN, fences.batch(dialect, all), owner, dueAt),
      );
    },

    clampDueTimes: (now, { retry, signalled, lease, tolerance }, limit) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const latest = now + tolerance;
        yield* rows('update webhook_ledger set paused_until = null where paused_until > $1', latest + signalled);
        const long = yield* claims.all(
          `update claim set lease_until = $1 where lease_until > $2 returning ${claims.list()}`,
          now + lease,
          latest + lease,
        );
        yield* rows(SHORTEN, JSON.stringify(long.flatMap(({ deliveries }) => deliveries)), now + lease);
        const clamped = yield* rows(CLAMP, now, now + retry, now + signalled, limit, tolerance);
        return clamped.length;
      }),
  } satisfies Partial<WebhookStore>;
}
