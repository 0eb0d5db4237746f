// The delivery log, and discarding what is held.
import { DELIVERY_TRANSITIONS } from '../../model/deliveryState.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import { codec, integer, text } from '../engine/codec.ts';
import { rows } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import { DELIVERY_BY_ID, deliveryOf, logged, readEvent, searchDeliveries } from './deliverySearch.ts';
import { attempts, endClaims, isUnclaimed, lockDeliveries, lockLedgerOf, stateAllows } from './webhookTables.ts';

const loggedWithBody = codec({ entry: logged, body: text('body') });
const shownAttempts = attempts.omit('delivery');
const failures = codec({ webhook: text('id'), at: integer('failed_at') });

/** Ends resends of delivered deliveries that wait. They are delivered as before. */
const END_RESENDS = `update delivery set state = '${DELIVERY_TRANSITIONS.keep.to}', resend_of = null, sent_while_inactive = 0, fence = fence + 1`;
const OF_INACTIVE = 'webhook_seq = $1 and exists (select 1 from webhook where seq = $1 and active = 0)';
/** (`due_at >= 0`: without it SQLite walks all deliveries of the webhook instead of using the index of pending ones.) */
const IS_RESEND = `${OF_INACTIVE} and ${stateAllows('keep')} and due_at >= 0 and resend_of = 'delivered'`;
const IS_HELD = `${OF_INACTIVE} and ${stateAllows('discard')} and coalesce(resend_of, '') <> 'delivered'`;

export function deliveryMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { dialect } = engine;

  return {
    deliveries: (query) => searchDeliveries(engine, query),

    event: (scope, id) => engine.read(readEvent(scope, id)),

    async delivery(webhook, number) {
      const found = await engine.read(loggedWithBody.first(DELIVERY_BY_ID, webhook, number));
      if (found === undefined) return undefined;
      const made = shownAttempts.all(`${shownAttempts.select} where delivery_id = $1 order by number`, number);
      return { delivery: deliveryOf(found.entry), attempts: await engine.read(made), body: found.body };
    },

    discardPending: (webhook, limit) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* () {
        const number = yield* lockLedgerOf(dialect, webhook);
        if (number === undefined) return 0;
        yield* endClaims(dialect, 'lease_until <= $1', clock.now());
        const unclaimed = `id ${dialect.isIn('$1', 'bigint')} and ${isUnclaimed('delivery')}`;
        const resends = yield* lockDeliveries(dialect, IS_RESEND, number);
        yield* rows(`${END_RESENDS} where ${unclaimed}`, JSON.stringify(resends));
        const first = `id in (select id from delivery where ${IS_HELD} and ${isUnclaimed('delivery')} order by due_at, id limit ${limit})`;
        const held = yield* lockDeliveries(dialect, first, number);
        // A delivery that is being sent is left alone, and so is everything once the webhook is active again.
        const discarded = yield* rows(
          `update delivery set state = '${DELIVERY_TRANSITIONS.discard.to}', settled_at = $2, resend_of = null,
             sent_while_inactive = 0, fence = fence + 1 where ${unclaimed} returning id`,
          JSON.stringify(held),
          clock.now(),
        );
        yield* rows(
          'update webhook_ledger set discarded = discarded + $2 where webhook_seq = $1',
          number,
          discarded.length,
        );
        return discarded.length;
      }),

    async failures(limit) {
      const latest = failures.all(
        `select w.id, d.failed_at from delivery d join webhook w on w.seq = d.webhook_seq
         where d.failed_at is not null and w.deleted_at is null order by d.failed_at desc limit ${limit}`,
      );
      return (await engine.read(latest)).toReversed();
    },
  } satisfies Partial<WebhookStore>;
}
