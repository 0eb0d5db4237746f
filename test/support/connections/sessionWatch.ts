// What is in force in the sessions of Steward while it accepts an event. Defaults of a server, a database or a role must not change it.
import type { TestDatabase } from './testCluster.ts';
import { quoted } from './testCluster.ts';

/** docs/operations.md has the same table. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  enable_seqscan: 'off',
  idle_in_transaction_session_timeout: '3s',
  idle_session_timeout: '0',
  jit: 'off',
  lock_timeout: '0',
  statement_timeout: '20s',
  synchronous_commit: 'on',
  transaction_isolation: 'read committed',
  transaction_read_only: 'off',
};

export interface SessionWatch {
  /** Ends the watch and returns the settings that were seen. */
  end(): Promise<Readonly<Record<string, string>>>;
}

/** Notes the settings of every session that writes an event, until it is ended. */
export async function watchSessions({ query }: TestDatabase): Promise<SessionWatch> {
  const [table] = await query(
    `select nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where relname = 'event' and pg_get_userbyid(relowner) <> 'steward'`,
  );
  const names = Object.keys(SESSION_SETTINGS).map((name) => `'${name}'`);
  await query(`
    create schema watch;
    grant usage on schema watch to public;
    create table watch.seen (name text, setting text);
    create function watch.note() returns trigger language plpgsql security definer as $$
    begin
      insert into watch.seen select name, current_setting(name) from unnest(array[${names.join()}]) as name;
      return null;
    end $$;
    create trigger watch after insert on ${quoted(String(table?.['nspname']))}.event
      for each statement execute function watch.note()`);
  return {
    async end() {
      const seen = await query('select distinct name, setting from watch.seen');
      await query('drop schema watch cascade');
      return Object.fromEntries(seen.map(({ name, setting }) => [String(name), String(setting)]));
    },
  };
}
