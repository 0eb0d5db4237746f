// Reads the delivery log: one delivery, a page of those that match a query, or an event with its deliveries. A page looks at a
// bounded number of deliveries, so that a filter without an index cannot block the store.
import type { Scope } from '../../model/serviceKey.ts';
import type { Delivery, DeliveryPage, DeliveryQuery, EventWithDeliveries } from '../../webhooks/ports/webhookStore.ts';
import type { Decoded } from '../engine/codec.ts';
import { codec, flag, optional, text } from '../engine/codec.ts';
import type { Engine } from '../engine/engine.ts';
import type { Script } from '../engine/script.ts';
import { numbers } from '../engine/script.ts';
import { WEBHOOK_NUMBER, deliveries, events, isClaimed, seq } from './webhookTables.ts';

const ofDelivery = deliveries.pick(
  'id',
  'state',
  'dueAt',
  'attempts',
  'created',
  'settledAt',
  'resendOf',
  'isSentWhileInactive',
);
export const logged = codec({
  ofDelivery,
  messageId: text('message_id'),
  eventId: optional(text('event_id')),
  eventType: text('event_type'),
  webhook: text('webhook_id'),
  webhookName: text('hook_name'),
  isActive: flag('active'),
  isClaimed: flag('is_claimed'),
});
const numberedEvents = codec({ number: seq, event: events });
const COLUMNS = `${ofDelivery.list('d')}, e.id as message_id, e.event_id, e.event_type, w.id as webhook_id, w.hook_name, w.active,
  cast(${isClaimed('d')} as int) as is_claimed`;
const JOINS = 'join webhook w on w.seq = d.webhook_seq join event e on e.seq = d.event_seq';
export const DELIVERY_BY_ID = `select ${COLUMNS}, e.body from delivery d ${JOINS} where w.id = $1 and d.id = $2`;

/** One window of this size takes SQLite some 10 ms. Between two of them, other work gets its turn. */
export const WINDOW = 10_000;
const WINDOWS = 20;

/** A delivered one that is sent again is pending in its row only. */
export function deliveryOf({
  ofDelivery: row,
  isActive,
  isClaimed: isBeingSent,
  ...more
}: Decoded<typeof logged>): Delivery {
  const { resendOf, isSentWhileInactive, ...delivery } = row;
  const isPending = delivery.state === 'pending';
  const isDue = isPending && (isActive || isSentWhileInactive);
  const state = resendOf === 'delivered' ? resendOf : delivery.state;
  const isHeld = state === 'pending' && !isActive;
  const isUnderWay = isDue || (isPending && isBeingSent);
  return { ...delivery, ...more, state, isUnderWay, isHeld, dueAt: isDue ? delivery.dueAt : undefined };
}

/** Conditions and the values of their parameters. */
function conditions(number: number) {
  const values: (string | number)[] = [number];
  const bound = (value: string | number): string => `$${values.push(value)}`;
  return { values, bound };
}

/** By state as it is shown. `failed` and `pending` are literals, because their partial indexes need it. */
const IN_STATE: Readonly<Record<Delivery['state'], string>> = {
  pending: `d.state = 'pending' and coalesce(d.resend_of, '') <> 'delivered'`,
  delivered: `(d.state = 'delivered' or d.resend_of = 'delivered')`,
  failed: `d.state = 'failed'`,
  discarded: `d.state = 'discarded'`,
};

/** The deliveries of one event are few, so they are found by the event. (`+ 0` keeps SQLite from walking along the webhook.) */
function* readOfEvent(number: number, query: DeliveryQuery): Script<readonly Delivery[]> {
  const { values, bound } = conditions(number);
  const { messageId, eventId, webhook, limit } = query;
  const found = [
    ...(messageId === undefined ? [] : [`d.event_seq in (select seq from event where id = ${bound(messageId)})`]),
    ...(eventId === undefined
      ? []
      : [
          `d.event_seq in (select e2.seq from webhook w2 join event e2 on e2.folder = w2.folder and e2.name = w2.name
             and e2.type = w2.type where w2.id = ${bound(webhook)} and e2.event_id = ${bound(eventId)})`,
        ]),
  ];
  const all = ['d.webhook_seq + 0 = $1', ...found, ...filters(query, bound)].join(' and ');
  const sql = `select ${COLUMNS} from delivery d ${JOINS} where ${all} order by d.id desc limit ${limit}`;
  return (yield* logged.all(sql, ...values)).map(deliveryOf);
}

/** The text differs by which conditions there are, so each combination is prepared once. */
function filters(query: DeliveryQuery, bound: (value: string | number) => string): readonly string[] {
  const { state, eventType, from, to, before } = query;
  return [
    ...(state === undefined ? [] : [IN_STATE[state]]),
    ...(eventType === undefined ? [] : [`e.event_type = ${bound(eventType)}`]),
    ...(from === undefined ? [] : [`d.created_at >= ${bound(from)}`]),
    ...(to === undefined ? [] : [`d.created_at < ${bound(to)}`]),
    ...(before === undefined ? [] : [`d.id < ${bound(before)}`]),
  ];
}

/** Looks at the newest deliveries of a webhook before an id, and returns those that match. */
function* readWindow(number: number, query: DeliveryQuery): Script<DeliveryPage> {
  const { state, before, limit } = query;
  const { values, bound } = conditions(number);
  const indexed = state === 'failed' || state === 'pending' ? ` and state = '${state}'` : '';
  const start = before === undefined ? '' : ` and id < ${bound(before)}`;
  const window = `from delivery where webhook_seq = $1${indexed}${start} order by id desc`;
  const kept = filters({ ...query, before: undefined }, bound);
  const where = kept.length === 0 ? '' : ` where ${kept.join(' and ')}`;
  const found = yield* logged.all(
    `select ${COLUMNS} from (select * ${window} limit ${WINDOW}) as d ${JOINS}${where} order by d.id desc limit ${limit}`,
    ...values,
  );
  const page = found.map(deliveryOf);
  if (page.length === limit) return { deliveries: page, next: page.at(-1)?.id };
  const ends = before === undefined ? [number] : [number, before];
  const [last] = yield* numbers(`select id ${window} limit 1 offset ${WINDOW - 1}`, ...ends);
  return { deliveries: page, next: last };
}

/** Finds deliveries, newest first. */
export async function searchDeliveries(engine: Engine, query: DeliveryQuery): Promise<DeliveryPage> {
  const [number] = await engine.read(numbers(WEBHOOK_NUMBER, query.webhook));
  if (number === undefined) return { deliveries: [], next: undefined };
  if ((query.messageId ?? query.eventId) !== undefined)
    return { deliveries: await engine.read(readOfEvent(number, query)), next: undefined };
  const found: Delivery[] = [];
  let { before } = query;
  for (let n = 0; n < WINDOWS; n += 1) {
    const page = await engine.read(readWindow(number, { ...query, before, limit: query.limit - found.length }));
    found.push(...page.deliveries);
    before = page.next;
    if (before === undefined || found.length === query.limit) break;
  }
  return { deliveries: found, next: before };
}

/** Finds an event by its id. A publisher sees the deliveries to webhooks of the service only. */
export function* readEvent(scope: Scope | 'all', id: string): Script<EventWithDeliveries | undefined> {
  const within = scope === 'all' ? '' : ' and folder = $2 and name = $3 and type = $4';
  const key = scope === 'all' ? [] : [scope.folder, scope.name, scope.type];
  const sql = `select ${numberedEvents.list()} from event where id = $1${within}`;
  const found = yield* numberedEvents.first(sql, id, ...key);
  if (found === undefined) return undefined;
  const ofScope = scope === 'all' ? '' : ' and w.folder = $2 and w.name = $3 and w.type = $4';
  const made = yield* logged.all(
    `select ${COLUMNS} from delivery d ${JOINS} where d.event_seq = $1 and w.deleted_at is null${ofScope} order by d.id`,
    found.number,
    ...key,
  );
  return { event: found.event, deliveries: made.map(deliveryOf) };
}
