// Defaults that administrators give to a role or a database, and rights that they take away.
import type { Environment } from './environment.ts';
import type { AddressOptions, DatabaseOptions } from './testCluster.ts';
import { addressOf } from './testCluster.ts';

const set = (on: string, settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `alter ${on} set ${name} = ${value}`)
    .join('; ');
const onDatabase = (settings: Readonly<Record<string, string>>): string => set('database DATABASE', settings);
const onRole = (settings: Readonly<Record<string, string>>): string => set('role ROLE', settings);

/** A role that may do nothing outside its schema. */
const SCHEMA_ONLY = `
  alter database DATABASE owner to steward; revoke all on database DATABASE from public;
  grant connect on database DATABASE to ROLE; revoke all on schema public from public;
  create schema apart authorization ROLE;`;

function environment(title: string, options: DatabaseOptions, address: AddressOptions = {}): Environment {
  return {
    title,
    async prepare({ main }) {
      const database = await main.create(options);
      return { database, store: addressOf(database, address) };
    },
  };
}

const SHORT = { statement_timeout: "'2s'", lock_timeout: "'2s'", idle_in_transaction_session_timeout: "'2s'" };
const PLANS = ['hashjoin', 'mergejoin', 'nestloop', 'indexscan', 'indexonlyscan', 'bitmapscan', 'hashagg', 'sort'];

export const SETTING_ENVIRONMENTS: readonly Environment[] = [
  environment('with a role that has rights on its schema only, which is its search_path', {
    sql: `${SCHEMA_ONLY} ${onRole({ search_path: 'apart' })}`,
  }),
  environment('with a search_path whose first schema does not exist', {
    sql: `${SCHEMA_ONLY} ${onRole({ search_path: 'missing, apart, public' })}`,
  }),
  environment(
    'with the search_path in the options of the address',
    { sql: SCHEMA_ONLY },
    { parameters: { options: '-c search_path=apart' } },
  ),
  environment('beside tables of another program with the same names, which come later in the search_path', {
    sql: `${SCHEMA_ONLY} grant usage on schema public to ROLE; create table public.event (x int); create table public.account (x int);
      create table public.schema_migration (x int); ${onRole({ search_path: 'apart, public' })}`,
  }),
  environment('where transactions are serializable by default', {
    sql: onDatabase({ default_transaction_isolation: "'serializable'" }),
  }),
  environment('where transactions are repeatable read by default', {
    sql: onDatabase({ default_transaction_isolation: "'repeatable read'", default_transaction_read_only: 'off' }),
  }),
  environment('where transactions are deferrable by default', {
    sql: onDatabase({ default_transaction_deferrable: 'on', default_transaction_isolation: "'serializable'" }),
  }),
  environment('with short time limits of the role', { sql: onRole(SHORT) }),
  environment('with a short limit for idle sessions of the role', { sql: onRole({ idle_session_timeout: "'2s'" }) }),
  environment('with other formats of dates, numbers, bytes and strings', {
    sql: onDatabase({
      timezone: "'Asia/Kathmandu'",
      datestyle: "'German'",
      intervalstyle: "'sql_standard'",
      lc_messages: "'C'",
      standard_conforming_strings: 'off',
      bytea_output: "'escape'",
      extra_float_digits: '-15',
      client_encoding: "'LATIN1'",
      transform_null_equals: 'on',
      client_min_messages: "'debug1'",
    }),
  }),
  environment('where the server does not wait for the disk', { sql: onDatabase({ synchronous_commit: 'off' }) }),
  environment('with the compiler on and most plans off', {
    sql: onDatabase({
      jit: 'on',
      jit_above_cost: '0',
      ...Object.fromEntries(PLANS.map((one) => [`enable_${one}`, 'off'])),
    }),
  }),
  environment('with a collation of ICU', {
    created: "template template0 encoding 'UTF8' locale_provider icu icu_locale 'de-u-co-phonebk' locale 'C.UTF-8'",
  }),
  environment('with the collation C', { created: "template template0 encoding 'UTF8' locale 'C'" }),
];
