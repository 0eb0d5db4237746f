// Sums over all webhooks and deliveries, for the overview.
import { MINUTE } from '../../foundation/clock.ts';
import { KEY_MARK_LENGTH } from '../../foundation/sealer.ts';
import type { ActivityStore } from '../../webhooks/ports/activityStore.ts';
import { codec, flag, integer, oneOf, text } from '../engine/codec.ts';
import type { TableDependencies } from '../transaction.ts';
import { WITH_LEDGER, withLedger } from './webhooks.ts';
import { webhooks } from './webhookTables.ts';

const totals = codec({
  isActive: flag('active'),
  webhooks: integer('webhooks'),
  accepted: integer('accepted'),
  delivered: integer('delivered'),
  failed: integer('failed'),
  discarded: integer('discarded'),
});
const SUMS = ['accepted', 'delivered', 'failed', 'discarded'].map(
  (name) => `cast(sum(l.${name}) as bigint) as ${name}`,
);
const TOTALS = `select w.active as active, cast(count(*) as bigint) as webhooks, ${SUMS.join(', ')}
  from webhook w join webhook_ledger l on l.webhook_seq = w.seq where w.deleted_at is null group by w.active`;

const keyMarks = codec({ keyMark: text('mark'), webhooks: integer('webhooks') });
const KEY_MARKS = `select substr(sealed, 1, ${KEY_MARK_LENGTH}) as mark, cast(count(*) as bigint) as webhooks
  from webhook where deleted_at is null group by 1`;

const settled = codec({
  minute: integer('minute'),
  state: oneOf('state', ['delivered', 'failed']),
  count: integer('n'),
});
/** More than the longest time-out of an attempt. */
const ATTEMPT_MS = 2 * MINUTE;
/** Found by attempts, because deliveries have no index by time. `$2` is when the first of them may have begun. */
const SETTLED = `select cast((at + duration_ms) / ${MINUTE} as bigint) as minute,
    case kind when 'accepted' then 'delivered' else 'failed' end as state, cast(count(*) as bigint) as n
  from attempt where settles = 1 and at >= $2 and at + duration_ms >= $1 group by 1, 2`;

export function activityMethods({ engine }: TableDependencies) {
  const TROUBLED = `${WITH_LEDGER} and (w.active = 0 and w.deactivated_reason is not null
    or w.active = 1 and (l.last_kind <> 'accepted' or w.failures like '%"startDay"%'
      or substr(w.sealed, 1, ${KEY_MARK_LENGTH}) ${engine.dialect.isIn('$1', 'text')}))`;

  return {
    totals: () => engine.read(totals.all(TOTALS)),

    sealedWith: () => engine.read(keyMarks.all(KEY_MARKS)),

    async settledPerMinute(from) {
      const found = await engine.read(settled.all(SETTLED, from, from - ATTEMPT_MS));
      return found.map(({ minute, state, count }) => ({ at: minute * MINUTE, state, count }));
    },

    // A history without failures has no first day.
    failingWebhooks: (limit) =>
      engine.read(
        webhooks.all(
          `${webhooks.select} where deleted_at is null and active = 1 and failures like '%"startDay"%' limit ${limit}`,
        ),
      ),

    troubledWebhooks: (marks, limit) =>
      engine.read(withLedger.all(`${TROUBLED} order by w.seq desc limit ${limit}`, JSON.stringify(marks))),
  } satisfies ActivityStore;
}
