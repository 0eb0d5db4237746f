// Claims of deliveries: which webhooks are due, claiming their deliveries, returning and expiring claims.
import type { ClaimQuota, ClaimRequest, WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { Decoded } from '../engine/codec.ts';
import { codec, flag, integer, optional, text } from '../engine/codec.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Script } from '../engine/script.ts';
import { row, rows, unread } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import { claims, endClaims, fences, hasFence, isUnclaimed, seq } from './webhookTables.ts';

/** The deliveries of a webhook that may be claimed. Conditions of partial indexes, so they are literals. */
const CLAIMABLE = { ofActive: `state = 'pending'`, ofInactive: 'sent_while_inactive = 1' } as const;

/** Goes from webhook to webhook along the index: the cost grows with the webhooks that are due, not with their deliveries. */
function webhooksWith(name: string, claimable: string): string {
  return `${name} (seq) as (
    select min(webhook_seq) from delivery where ${claimable}
    union all
    select (select min(webhook_seq) from delivery where ${claimable} and webhook_seq > ${name}.seq)
    from ${name} where ${name}.seq is not null)`;
}
/** The few that are claimed are passed over: a webhook has no more of them than slots on all replicas. */
function firstDue(claimable: string, name: string): string {
  return `(select due_at from delivery where ${claimable} and webhook_seq = ${name}.seq and ${isUnclaimed('delivery')}
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

const claimed = claims.pick('delivery', 'webhook', 'fence', 'attempts', 'owner');
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

const COPIED = ['event_seq', 'webhook_seq', 'attempts', 'round_attempts', 'failed_at', 'resend_of'];
/** `$2` is when the lease ends, `$3` is the owner. */
const INSERT = `insert into claim (delivery_id, fence, ${COPIED.join(', ')}, owner, lease_until)
  select found.id, found.fence + 1, ${COPIED.map((name) => `found.${name}`).join(', ')}, cast($3 as text), cast($2 as bigint)`;

/** The deliveries to claim of the webhook `item.webhook_seq`, first the one that is due longest. `free`: that it is not claimed. */
function claimableOf(claimable: string, columns: readonly string[], now: string, limit: string, free: string): string {
  return `select ${columns.join(', ')} from delivery
    where webhook_seq = item.webhook_seq and ${claimable} and due_at <= ${now} and ${free}
    order by due_at, id limit ${limit}`;
}

/** What a replica that has ended had claimed is claimed again after at most twice this time. */
const LOOK_EVERY_MS = 700;
const owners = codec({ owner: text('owner') });

/** When webhooks may be claimed from again, by number, if this is known. */
type DueAgain = Map<number, number>;
type ClaimFrom = (
  request: ClaimRequest,
  from: readonly ClaimQuota[],
  dueAgain: DueAgain,
) => Script<readonly ClaimedMessage[]>;

/**
 * With one statement, which leaves out what another replica is claiming. What it has claimed since the statement began is returned with
 * its owner: the webhook is then due at once, because it may have more.
 */
function claimAmongReplicas(dialect: Dialect, claimable: string): ClaimFrom {
  // Found by the index, because ended claims stay in the table until a vacuum: after 150,000, reading all took 35 µs for each delivery.
  const free = 'not exists (select 1 from claim where delivery_id = delivery.id)';
  const due = claimableOf(claimable, ['id', 'fence', ...COPIED], '$4', 'item.quota', free) + dialect.skipLocked;
  // PostgreSQL expects more claims than there are. Without `limit 1` it reads all events to join them.
  const sql = `with claimed as (
      ${INSERT} from ${quotas.relation(dialect, '$1')} cross join lateral (${due}) as found
      on conflict (delivery_id) do update set owner = claim.owner returning ${claimed.list()}, event_seq)
    select ${claimed.list('claimed')}, message.id as message_id, message.body
    from claimed cross join lateral (select id, body from event where seq = event_seq limit 1) as message`;
  return function* claim({ now, leaseUntil, owner }, from, dueAgain) {
    const found = yield* claimedMessages.all(sql, quotas.batch(dialect, from), leaseUntil, owner, now);
    const isOwn = (one: ClaimedMessage): boolean => one.claim.owner === owner;
    for (const one of found) if (!isOwn(one)) dueAgain.set(one.claim.webhook, now);
    return found.filter(isOwn);
  };
}

/**
 * For a single process. All webhooks have the same limit in the first statement, because SQLite allows no other; one statement for
 * each webhook would take four times as long.
 */
function claimAlone(dialect: Dialect, claimable: string): ClaimFrom {
  const FIND = `select found.id as delivery_id, found.webhook_seq, found.fence + 1 as fence, found.attempts,
      '' as owner, event.id as message_id, event.body
    from ${quotas.relation(dialect, '$1')}
      join delivery as found on found.id in (${claimableOf(claimable, ['id'], '$2', '$3', isUnclaimed('delivery'))})
      join event on event.seq = found.event_seq order by found.due_at, found.id`;
  const CLAIM = `${INSERT} from delivery as found where found.id ${dialect.isIn('$1', 'bigint')}`;
  return function* claim({ now, leaseUntil, owner }, from) {
    const left = new Map(from.map(({ number, limit }) => [number, limit]));
    const found = yield* claimedMessages.all(FIND, quotas.batch(dialect, from), now, Math.max(0, ...left.values()));
    const taken = found.filter(({ claim: { webhook } }) => {
      const more = left.get(webhook) ?? 0;
      left.set(webhook, more - 1);
      return more > 0;
    });
    yield* rows(CLAIM, JSON.stringify(taken.map(({ claim: { delivery } }) => delivery)), leaseUntil, owner);
    return taken;
  };
}

/** What is left of a release. A delivery that was tried waits for its retry, no longer for the release. */
const LEFT_TO_RELEASE = `select 1 as yes from delivery where webhook_seq = $1 and state = 'pending' and ${isUnclaimed('delivery')}
    and id + 0 <= $2 and (round_attempts = 0 or due_at <= $3) order by due_at limit 1`;

/**
 * Claims from webhooks whose release is paced. The mark is moved under the ledger's lock, so that all replicas together
 * keep the pace. (`id + 0`: without it SQLite walks the whole history by id instead of using the index of due deliveries.)
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
    if (release === undefined) return yield* claimFrom(request, [quota], dueAgain);
    const limit = Math.min(quota.limit, pace.allowance(release.mark, now));
    if (limit < 1) {
      dueAgain.set(number, pace.nextAt(release.mark, now));
      return [];
    }
    const taken = yield* claimFrom(request, [{ number, limit }], dueAgain);
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
  const CLAMP = `update delivery set due_at = case when round_attempts = 0 then cast($1 as bigint) else cast($2 as bigint) end
    where id in (select d.id from delivery d join webhook w on w.seq = d.webhook_seq
      where d.state = 'pending' and d.due_at > case when w.receiver_signals = 1 then cast($3 as bigint) else cast($2 as bigint) end limit $4)
    returning id`;
  const RETURNED = `owner = $2 and ${hasFence(dialect, '$1')}`;
  const SET_DUE = `update delivery set due_at = $2 where id ${dialect.isIn('$1', 'bigint')}`;

  const HAS_ENDED = dialect.hasEnded?.('owner');
  /** The owners that had ended when they were looked at last. */
  let endedBefore: readonly string[] = [];
  let lookedAt = 0;

  /** An owner must be away twice: a connection that is lost for a moment does not end its claims. */
  async function releaseEnded(now: number): Promise<void> {
    if (HAS_ENDED === undefined || Math.abs(now - lookedAt) < LOOK_EVERY_MS) return;
    lookedAt = now;
    const found = await engine.read(owners.all(`select distinct owner from claim where ${HAS_ENDED}`));
    const ended = found.map(({ owner }) => owner).filter((owner) => owner !== engine.owner);
    const endedTwice = ended.filter((owner) => endedBefore.includes(owner));
    endedBefore = ended;
    if (endedTwice.length === 0) return;
    const condition = `${HAS_ENDED} and owner ${dialect.isIn('$1', 'text')}`;
    await transaction(dependencies, { closedWhen: 'never' }, () =>
      endClaims(dialect, condition, JSON.stringify(endedTwice)),
    );
  }

  return {
    batchSize: dialect.atOnce,
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
        const messages = unpaced.length === 0 ? [] : [...(yield* claimFrom(request, unpaced, dueAgain))];
        if (inactive.length > 0) messages.push(...(yield* claimFromInactive(request, inactive, dueAgain)));
        // Sorted, because ledgers are locked in this order.
        for (const quota of active.filter(isPaced).toSorted((a, b) => a.number - b.number))
          messages.push(...(yield* claimPaced(request, quota, dueAgain)));
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
      const batch = fences.batch(dialect, all);
      await transaction(dependencies, { closedWhen: 'never' }, function* () {
        yield* unread(rows(SET_DUE, yield* endClaims(dialect, RETURNED, batch, owner), dueAt));
      });
    },

    async expireClaims(now) {
      await releaseEnded(now);
      const expired = 'lease_until <= $1';
      // Read first, so that an idle server does not write.
      if ((await engine.read(row(`select 1 as yes from claim where ${expired} limit 1`, now))) === undefined) return;
      await transaction(dependencies, { closedWhen: 'never' }, () => endClaims(dialect, expired, now));
    },

    clampDueTimes: (now, { retry, signalled, lease }, limit) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        yield* rows('update webhook_ledger set paused_until = null where paused_until > $1', now + signalled);
        yield* rows('update claim set lease_until = $1 where lease_until > $1', now + lease);
        const clamped = yield* rows(CLAMP, now, now + retry, now + signalled, limit);
        return clamped.length;
      }),

    async expireAllLeases() {
      await transaction(dependencies, { closedWhen: 'never' }, () => endClaims(dialect, 'lease_until >= 0'));
    },
  } satisfies Partial<WebhookStore>;
}
