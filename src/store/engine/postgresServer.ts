// Looks at a PostgreSQL server at the start, and explains why it cannot be used. What waiting does not repair ends the start at once.
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { UNREACHABLE } from './engine.ts';
import type { PostgresPool, PostgresUse } from './postgresPool.ts';
import { UNSAFE_SETTINGS } from './postgresPool.ts';

type ServerFacts = Readonly<{
  encoding: string;
  /** The schema of new tables; null if the search path names none that exists and may be used. */
  schema: string | null;
  mayCreate: boolean;
  isEmpty: boolean;
  isReadOnly: boolean;
  isStandby: boolean;
}>;
const FACTS = `select current_setting('server_encoding') as encoding, current_schema() as schema,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
    to_regclass('schema_migration') is null as "isEmpty",
    current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_is_in_recovery() as "isStandby"`;

/** A server that may accept writes later. */
function readOnly(what: string): StewardError {
  return new StewardError('unavailable', UNREACHABLE, { retryAfterSeconds: 5, cause: new Error(what) });
}

function refuse({ encoding, schema, mayCreate, isEmpty, isReadOnly, isStandby }: ServerFacts): void {
  if (encoding !== 'UTF8')
    throw new StewardError(
      'invalid',
      `The database has the encoding ${encoding}, and Steward needs UTF8. Nothing was changed. Create a database with encoding 'UTF8', and name it in STEWARD_STORE.`,
    );
  if (isStandby) throw readOnly('the database server is a standby, which accepts no writes');
  if (isReadOnly)
    throw readOnly(
      'the database is read-only: default_transaction_read_only is on for the server, the database or the role',
    );
  if (schema === null || (isEmpty && !mayCreate))
    throw new StewardError(
      'forbidden',
      `The role of STEWARD_STORE may not create tables${schema === null ? ': its search_path names no schema that it may use' : ` in the schema ${schema}`}. Make it the owner of the database, or give it its own schema: create schema steward authorization <role>; alter role <role> set search_path = steward.`,
    );
}

/** Refuses a server that Steward cannot work with, and warns of one that is not durable. */
export async function checkServer(pool: PostgresPool, log: Log): Promise<void> {
  const [facts] = await pool.query<ServerFacts>({ text: FACTS });
  if (facts !== undefined) refuse(facts);
  for (const { name } of await pool.query<{ readonly name: string }>({ text: UNSAFE_SETTINGS }))
    log.warn(
      { setting: name },
      `PostgreSQL runs with ${name} = off: after a crash of its machine, what Steward has acknowledged may be lost. Set ${name} = on`,
    );
}

/** Reasons for which a connection fails again as long as nothing is changed, by the code or the text of the error. */
const PERMANENT: readonly { readonly matches: RegExp; readonly advice: string }[] = [
  {
    matches: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    advice: 'The server needs a new certificate, or its clock or this one is wrong.',
  },
  {
    matches: /ERR_OSSL_|ERR_SSL_.*(ALERT|CERTIFICATE)|key values mismatch/,
    advice: 'sslcert and sslkey must belong together, and the server must trust their authority (ssl_ca_file).',
  },
  {
    matches: /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    advice: 'Name the file of its authority with sslrootcert, and use the host name that is in its certificate.',
  },
  { matches: /does not support SSL/, advice: 'Switch TLS on at the server, or use sslmode=disable.' },
  { matches: /no encryption/, advice: 'Add sslmode=verify-full to the address.' },
  {
    matches: /password must be a (non-empty )?string/,
    advice: 'Put the password into the address, into PGPASSWORD or into ~/.pgpass: the server asks for one.',
  },
  // A prepared statement that another client has made, or that is gone.
  { matches: /^(42P05|26000)/, advice: 'A connection pooler such as PgBouncer must work in session mode.' },
  { matches: /^(28|3D000|42501)/, advice: '' },
];

/** Explains an error of the start for which waiting does not help; undefined if it may pass. */
export function explained(error: unknown, { setting }: PostgresUse): StewardError | undefined {
  if (error instanceof StewardError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasonOf(error);
  const known = PERMANENT.find(({ matches }) => matches.test(code) || matches.test(reason));
  if (known === undefined) return undefined;
  const text = [
    'PostgreSQL refused the connection: ',
    reason,
    '. ',
    known.advice,
    known.advice === '' ? '' : ' ',
    'Check ',
  ];
  return new StewardError('forbidden', `${text.join('')}${setting}.`, { cause: error });
}
