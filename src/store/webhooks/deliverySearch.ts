// Reads the delivery log: one delivery, a page of those that match a query, or an event with its deliveries. A page looks at a
// bounded number of deliveries, so that a filter without an index cannot block the store.
import type { Scope } from '../../model/serviceKey.ts';
import type { Delivery, DeliveryPage, DeliveryQuery, EventWithDeliveries } from '../../webhooks/ports/webhookStore.ts';
import type { Decoded } from '../engine/codec.ts';
import { codec, flag, optional, text } from '../engine/codec.ts';
import type { Engine } from '../engine/engine.ts';
import type { Script } from '../engine/script.ts';
import { numbers } from '../engine/script.ts';
import { WEBHOOK_NUMBER, deliveries, events, queue, seq } from './webhookTables.ts';

const ofDelivery = deliveries.pick('id', 'state', 'attempts', 'created', 'settledAt');
const ofQueue = queue.pick('dueAt', 'resendOf', 'isSentWhileInactive').with({ owner: optional(text('owner')) });
export const logged = codec({
  ofDelivery,
  messageId: text('message_id'),
  eventId: optional(text('event_id')),
  eventType: text('event_type'),
  webhook: text('webhook_id'),
  webhookName: text('hook_name'),
  isActive: flag('active'),
  queued: optional(ofQueue),
});
const numberedEvents = codec({ number: seq, event: events });
const COLUMNS = `${ofDelivery.list('d')}, ${ofQueue.list('q')}, e.id as message_id, e.event_id, e.event_type, w.id as webhook_id,
  w.hook_name, w.active`;
const JOINS = `join webhook w on w.seq = d.webhook_seq join event e on e.seq = d.event_seq left join queue q on q.delivery_id = d.id`;
export const DELIVERY_BY_ID = `select ${COLUMNS}, e.body from delivery d ${JOINS} where w.id = $1 and d.id = $2`;

/** One window of this size takes SQLite some 10 ms. Between two of them, other work gets its turn. */
export const WINDOW = 10_000;
const WINDOWS = 20;

/** A delivered one that is sent again is pending in its row only. */
export function deliveryOf({ ofDelivery: delivery, isActive, queued, ...more }: Decoded<typeof logged>): Delivery {
  const isDue = queued !== undefined && (isActive || queued.isSentWhileInactive);
  const state = queued?.resendOf === 'delivered' ? queued.resendOf : delivery.state;
  const isHeld = state === 'pending' && !isActive;
  const isUnderWay = isDue || queued?.owner !== undefined;
  return { ...delivery, ...more, state, isUnderWay, isHeld, dueAt: isDue ? queued.dueAt : undefined };
}

/** Conditions and the values of their parameters. */
function conditions(number: number) {
  const values: (string | number)[] = [number];
  const bound = (value: string | number): string => `$${values.push(value)}`;
  return { values, bound };
}

/** By state as it is shown. */
const IN_STATE: Readonly<Record<Delivery['state'], string>> = {
  pending: `d.state = 'pending' and coalesce(q.resend_of, '') <> 'delivered'`,
  delivered: `(d.state = 'delivered' or q.resend_of = 'delivered')`,
  failed: 'd.is_failed = 1',
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

/** The deliveries of a webhook that a search for a state looks at, newest first. `before` is the parameter of an id, if there is one. */
function windowOf(state: Delivery['state'] | undefined, before: string | undefined) {
  const isBefore = (id: string): string => (before === undefined ? '' : ` and ${id} < ${before}`);
  if (state === 'pending') {
    const ids = `select delivery_id as id from queue where webhook_seq = $1${isBefore('delivery_id')} order by delivery_id desc`;
    return {
      ids,
      rows: `select delivery.* from (${ids} limit ${WINDOW}) as seen join delivery on delivery.id = seen.id`,
    };
  }
  const failed = state === 'failed' ? ' and is_failed = 1' : '';
  const found = `from delivery where webhook_seq = $1${failed}${isBefore('id')} order by id desc`;
  return { ids: `select id ${found}`, rows: `select * ${found}` };
}

/** Looks at the newest deliveries of a webhook before an id, and returns those that match. */
function* readWindow(number: number, query: DeliveryQuery): Script<DeliveryPage> {
  const { state, before, limit } = query;
  const { values, bound } = conditions(number);
  const { ids, rows } = windowOf(state, before === undefined ? undefined : bound(before));
  const kept = filters({ ...query, before: undefined }, bound);
  const where = kept.length === 0 ? '' : ` where ${kept.join(' and ')}`;
  const found = yield* logged.all(
    // Without the limit of the window, PostgreSQL would begin with all events of a type.
    `select ${COLUMNS} from (${rows} limit ${WINDOW}) as d ${JOINS}${where} order by d.id desc limit ${limit}`,
    ...values,
  );
  const page = found.map(deliveryOf);
  if (page.length === limit) return { deliveries: page, next: page.at(-1)?.id };
  const ends = before === undefined ? [number] : [number, before];
  const [last] = yield* numbers(`${ids} limit 1 offset ${WINDOW - 1}`, ...ends);
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
