// The delivery log, and discarding what is held.
import type { DeliveryTransition } from '../../model/deliveryState.ts';
import { DELIVERY_TRANSITIONS } from '../../model/deliveryState.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import { codec, integer, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import { DELIVERY_BY_ID, deliveryOf, logged, readEvent, searchDeliveries } from './deliverySearch.ts';
import { attempts, fences, lockLedgerOf, stateAllows } from './webhookTables.ts';

const loggedWithBody = codec({ entry: logged, body: text('body') });
const shownAttempts = attempts.omit('delivery', 'settles');
const failures = codec({ webhook: text('id'), at: integer('failed_at') });

/** Of an inactive webhook, and not being sent. `$2` is the time. */
const WAITS = `webhook_seq = $1 and exists (select 1 from webhook where seq = $1 and active = 0)
  and (owner is null or lease_until <= $2)`;
const IS_RESEND = `${WAITS} and resend_of = 'delivered'`;
const IS_HELD = `${WAITS} and coalesce(resend_of, '') <> 'delivered'`;

export function deliveryMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { dialect } = engine;

  /** Takes deliveries of a webhook that meet a condition out of the queue, and returns how many. */
  function* leaveQueue(number: number, condition: string, transition: DeliveryTransition): Script<number> {
    const now = clock.now();
    const left = yield* fences.all(`delete from queue where ${condition} returning ${fences.list()}`, number, now);
    yield* rows(
      `update delivery set state = '${DELIVERY_TRANSITIONS[transition].to}', fence = item.fence, settled_at = coalesce(settled_at, $2)
       from ${fences.relation(dialect, '$1')} where delivery.id = item.delivery_id and ${stateAllows(transition)}`,
      fences.batch(dialect, left),
      now,
    );
    return left.length;
  }

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
        // Delivered ones that wait to be sent again are delivered as before.
        yield* leaveQueue(number, IS_RESEND, 'keep');
        const first = `select delivery_id from queue where ${IS_HELD} order by due_at, delivery_id limit ${limit}`;
        // A delivery that is being sent is left alone, and so is everything once the webhook is active again.
        const discarded = yield* leaveQueue(number, `${IS_HELD} and delivery_id in (${first})`, 'discard');
        yield* rows('update webhook_ledger set discarded = discarded + $2 where webhook_seq = $1', number, discarded);
        return discarded;
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
