// How claims end: with their lease, with the replica that made them, or because their owner does not know them.
import { SECOND } from '../../../foundation/clock.ts';
import type { WebhookStore } from '../../../webhooks/ports/webhookStore.ts';
import type { Value } from '../../engine/script.ts';
import { row, rows, unread } from '../../engine/script.ts';
import type { TableDependencies } from '../../transaction.ts';
import { claims } from '../webhookTables.ts';

export const FREE = 'update queue set owner = null, lease_until = null';

/** What a replica that has ended had claimed is claimed again after at most twice this time. */
const LOOK_EVERY_MS = 700;
const owners = claims.pick('owner');
/** The limit of one transaction: a process that was killed at full speed leaves 2,000. */
const ENDED_AT_ONCE = 100;

/** After a loss of its own presence, a replica gives the others this time to come back too: all may have lost theirs together. */
const COME_BACK_WITHIN_MS = 5 * SECOND;
/** Begins the owner of a claim that was made without presence. Only its lease ends it. */
export const WITHOUT_PRESENCE = 'leased-';
const claimantOf = (owner: string): string =>
  owner.startsWith(WITHOUT_PRESENCE) ? owner.slice(WITHOUT_PRESENCE.length) : owner;

export function claimEndMethods({ engine }: Pick<TableDependencies, 'engine'>) {
  const { dialect } = engine;
  const IS_LISTED = `delivery_id ${dialect.isIn('$1', 'bigint')}`;
  const END = `${FREE} where ${IS_LISTED} and owner ${dialect.isIn('$2', 'text')} and lease_until <= $3`;
  const HAS_ENDED = dialect.hasEnded?.('owner');
  /** The owners that had ended when they were looked at last. */
  let endedBefore: readonly string[] = [];
  let lookedAt = 0;

  /** Ends the claims that meet a condition. Most have ended before, because what they claimed was settled. */
  async function endClaims(condition: string, ...values: readonly Value[]): Promise<void> {
    const some = `select id from claim where ${condition} order by lease_until limit ${ENDED_AT_ONCE}`;
    let ended: number;
    do {
      // Not flushed: claims that a power failure brings back are ended again.
      ended = await engine.writeUnflushed(function* () {
        const found = yield* claims.all(
          `delete from claim where id in (${some}) returning ${claims.list()}`,
          ...values,
        );
        if (found.length === 0) return 0;
        const ids = JSON.stringify(found.flatMap(({ deliveries }) => deliveries));
        const by = JSON.stringify([...new Set(found.map((claim) => claimantOf(claim.owner)))]);
        const until = Math.max(...found.map(({ leaseUntil }) => leaseUntil));
        yield* unread(rows(END, ids, by, until));
        return found.length;
      });
    } while (ended === ENDED_AT_ONCE);
  }

  /** An owner must be away twice: a connection that is lost for a moment does not end its claims. */
  async function releaseEnded(now: number): Promise<void> {
    if (HAS_ENDED === undefined || Math.abs(now - lookedAt) < LOOK_EVERY_MS) return;
    lookedAt = now;
    if (!engine.isPresent() || engine.presentForMs() < COME_BACK_WITHIN_MS) {
      endedBefore = [];
      return;
    }
    const found = await engine.read(owners.all(`select distinct owner from claim where ${HAS_ENDED}`));
    const ended = found.map(({ owner }) => owner).filter((owner) => owner !== engine.owner);
    const endedTwice = ended.filter((owner) => endedBefore.includes(owner));
    endedBefore = ended;
    if (endedTwice.length === 0) return;
    await endClaims(`${HAS_ENDED} and owner ${dialect.isIn('$1', 'text')}`, JSON.stringify(endedTwice));
  }

  return {
    async expireClaims(now) {
      await releaseEnded(now);
      const expired = 'lease_until <= $1';
      // Read first, so that an idle server does not write.
      if ((await engine.read(row(`select 1 as yes from claim where ${expired} limit 1`, now))) === undefined) return;
      await endClaims(expired, now);
    },

    async freeUnknownClaims(owner, isKnown) {
      const OWN = `select ${claims.list()} from claim where owner = $1 or owner = $2`;
      const made = await engine.read(claims.all(OWN, owner, WITHOUT_PRESENCE + owner));
      const unknown = made.flatMap(({ deliveries }) => deliveries).filter((delivery) => !isKnown(delivery));
      if (unknown.length === 0) return 0;
      const freed = await engine.writeUnflushed(() =>
        rows(`${FREE} where ${IS_LISTED} and owner = $2 returning delivery_id`, JSON.stringify(unknown), owner),
      );
      return freed.length;
    },

    expireAllLeases: () => endClaims('lease_until >= 0'),
  } satisfies Partial<WebhookStore>;
}
