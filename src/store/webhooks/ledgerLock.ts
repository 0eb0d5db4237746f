import type { Dialect } from '../engine/dialect.ts';
import type { Script } from '../engine/script.ts';
import { rows } from '../engine/script.ts';

/** Locks the ledgers of these webhooks. Every writer locks ledgers first and in this order, so that writers cannot deadlock. */
export function ledgerLock({ forUpdate, list }: Dialect): (webhooks: Iterable<number>) => Script<void> {
  const sql = `select webhook_seq from webhook_ledger where webhook_seq in ${list('$1', 'bigint')}
    order by webhook_seq${forUpdate}`;
  return function* lock(webhooks) {
    // SQLite has one writer at a time.
    if (forUpdate !== '') yield* rows(sql, JSON.stringify([...webhooks]));
  };
}
