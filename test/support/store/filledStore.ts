// Fills a store with rows in every table that grows, past its ports, so that a test can have many of them. Texts contain what may go
// wrong when rows are copied: quotes, backslashes, line ends and characters outside the first 65,536.
import { systemClock } from '../../../src/foundation/clock.ts';
import type { StoreLocation } from '../../../src/store/store.ts';
import { changeRows, openStoreOn, rowsOf, tablesOf } from './stores.ts';

const ODD = String.raw`Grüße, ☂ 😀 "quoted" ''single'' \\ \u0041 %41 $1` + '\nsecond line\ttab\u007f';
const LARGE = 'large '.repeat(200_000);

function numbered(count: number, insert: string): string {
  return `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count}) ${insert} from numbers;`;
}

function webhookRows(deliveries: number): readonly string[] {
  return [
    numbered(
      20,
      `insert into webhook (id, folder, name, type, hook_name, url, active, change_types, content_type, sealed,
         signature_header, receiver_signals, owner, created_at, modified_at, revision, failures)
       select 'hook' || n, '', 'Ämter' || n, 'Map', 'h', 'https://receiver.example/' || n, n % 2, '["*"]',
         'application/json', '${ODD}', 'webhook-signature', 0, 'ann', n, n, 1, '[]'`,
    ),
    numbered(
      20,
      `insert into webhook_ledger (webhook_seq, accepted, delivered, failed, discarded, last_at)
       select n, 5, 4, 1, 0, case when n % 2 = 0 then n end`,
    ),
    numbered(
      deliveries,
      `insert into event (id, folder, name, type, event_id, event_type, at, sequence, body)
       select 'event' || n, '', 'Ämter' || n % 20, 'Map', case when n % 2 = 0 then 'e' || n end, 'order.created',
         1790000000000 + n, n, '{"n":' || n || ',"text":"${ODD}"}'`,
    ),
    numbered(
      deliveries,
      `insert into delivery (event_seq, webhook_seq, state, fence, attempts, created_at, settled_at)
       select n, 1 + n % 20, case n % 3 when 0 then 'delivered' when 1 then 'failed' else 'pending' end,
         n, 1, n, case when n % 3 < 2 then n end`,
    ),
    numbered(
      20,
      `insert into queue (delivery_id, event_seq, webhook_seq, created_at, due_at, fence, attempts, round_attempts, owner, lease_until)
       select n, n, 1 + n % 20, n, 1790000000000 + n, n + 1, 1, 1, 'replica', 1790000000000 + n`,
    ),
    numbered(
      20,
      `insert into claim (owner, lease_until, deliveries) select 'replica', 1790000000000 + n, '[' || n || ']'`,
    ),
    numbered(
      deliveries,
      `insert into attempt (delivery_id, number, at, duration_ms, kind, status, reason, answer, url)
       select n, 1 + n % 2, n, 12, 'refused', 500, 'HTTP 500', '${ODD}' || n, null`,
    ),
  ];
}

function otherRows(): readonly string[] {
  return [
    numbered(
      500,
      `insert into audit (at, who, address, request_id, action, target, before_state, after_state)
       select n, 'ann', '192.0.2.1', 'r' || n, 'service.edit', 'service A.Map', null, '{"text":"${ODD}"}'`,
    ),
    numbered(300, `insert into document (name, content) select 'Zebra/é' || n, '{}'`),
    `insert into document (name, content) values ('ä', '1'), ('a', '2'), ('A', '3'), ('😀', '4'), ('', '5'), ('\uffee', '6');`,
    ...[1, 2, 3, 4, 5].map(
      (n) =>
        `insert into upload (id, name, description, content_type, size, owner, created_at, content)
         values ('upload${n}', 'a file', '', 'text/plain', 1, 'ann', 1, '${LARGE}${n}');`,
    ),
    numbered(
      50,
      `insert into job (id, kind, state, done, total, is_cancelled, started_by, started_at, lease_until, fence)
       select 'job' || n, 'upgrade', 'succeeded', n, n, 0, 'ann', n, 0, n`,
    ),
    numbered(50, `insert into job_entry (job_id, number, at, text) select 'job' || n, n % 5, n, '${ODD}'`),
    numbered(10, `insert into outbox (at, type, data) select n, 'x', '{}'`),
    // The numbers of removed rows must not be given again.
    'delete from outbox;',
    'delete from audit where id > 490;',
  ];
}

/** Creates a store in this place and fills it. */
export async function fillStore(place: StoreLocation, deliveries: number): Promise<void> {
  await (await openStoreOn(place, systemClock)).close();
  await changeRows(place, [...webhookRows(deliveries), ...otherRows()].join('\n'));
}

function asText(row: Readonly<Record<string, unknown>>): string {
  // One driver returns large integers as text.
  const values = Object.entries(row).map(
    ([name, value]) => `${name} ${JSON.stringify(value).replaceAll(/^"|"$/g, '')}`,
  );
  return values.toSorted().join('\n');
}

const MARKER = /^store_move/;

/** The whole content of a store: the rows of each table, in one order on both engines. */
export async function contentOf(place: StoreLocation): Promise<ReadonlyMap<string, readonly string[]>> {
  const content = new Map<string, readonly string[]>();
  for (const table of await tablesOf(place))
    if (!MARKER.test(table)) content.set(table, (await rowsOf(place, table)).map(asText).toSorted());
  return content;
}
