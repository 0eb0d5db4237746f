// The PostgreSQL engine: a pool of connections, transactions that are repeated after conflicts, and errors that say whether
// trying again later can help.
import { createHash, randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { MINUTE, SECOND, systemClock } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { postgresDialect, sessionOwner } from './dialect.ts';
import type { Engine } from './engine.ts';
import { UNREACHABLE } from './engine.ts';
import { createListener } from './listener.ts';
import type { PostgresPool, PostgresUse } from './postgresPool.ts';
import { SERVER_USE, openPool } from './postgresPool.ts';
import { checkServer, explained } from './postgresServer.ts';
import { createServerHealth, namedTrouble } from './postgresTrouble.ts';
import type { Row, Script, Statement, Value } from './script.ts';

export const WRITE_LOCK = 7_364_112;
const TRIES = 20;

/** Serialization failure, deadlock, and two inserts of the same key: running the transaction again resolves each of them. */
const WRITE_CONFLICTS = new Set(['40001', '40P01', '23505']);
/**
 * The transaction is undone, and its connection is no longer of use. 0A000: a prepared statement became invalid because a migration
 * changed its tables. 25P03: the next statement was late, because this process was frozen.
 */
const AGAIN_ELSEWHERE = new Set(['0A000', '25P03']);
/** The exclusive lock was not granted in time: a transaction of another replica takes long, or that replica is frozen in it. */
const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_WITHIN_MS = 500;
/** Between the statements of a migration, rows may be converted. */
const MIGRATION_IDLE_MS = MINUTE;
/** A prepared statement exists already, or is gone: a pooler in transaction mode mixes the sessions of its clients. */
const OTHER_SESSION = new Set(['42P05', '26000']);
/** What a TLS handshake fails with, by Node and by OpenSSL: a certificate may be renewed, with its key a moment later. */
const TLS = /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|EPROTO)/;
/** With the wait above and the number of tries, an exclusive write gives up after 50 s, longer than a frozen session lasts. */
const LOCK_PAUSE_MS = 2 * SECOND;
/** Errors that may pass: connection, resources, operator intervention, a read-only server, missing privileges. */
const TEMPORARY = /^(08|28|3D000|40|42501|53|55P03|57|25006)/;
const NETWORK =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|ENOENT|EAI_AGAIN|EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL)/;

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function translated(error: unknown): unknown {
  if (error instanceof StewardError) return error;
  const code = codeOf(error);
  if (OTHER_SESSION.has(code)) return explained(error, SERVER_USE) ?? error;
  const named = namedTrouble(code, error);
  if (named !== undefined) return named;
  const isTemporary =
    TEMPORARY.test(code) ||
    NETWORK.test(code) ||
    TLS.test(code) ||
    /connection|timeout|timed out/i.test(reasonOf(error));
  if (!isTemporary) return error;
  return new StewardError('unavailable', UNREACHABLE, {
    retryAfterSeconds: 5,
    cause: error,
  });
}

const names = new Map<string, string>();

/** A named statement is parsed and planned once per connection. */
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('hex').slice(0, 32);
    names.set(sql, name);
  }
  return name;
}

const statementOf = (sql: string, values: readonly Value[]) => ({ name: nameOf(sql), text: sql, values: [...values] });

async function run(client: PoolClient, sql: string, values: readonly Value[]): Promise<readonly Row[]> {
  return (await client.query<Row>(statementOf(sql, values))).rows;
}

/** Ends a failed transaction: rolls back if the connection is known to be intact, and closes the connection otherwise. */
async function releaseAfterFailure(client: PoolClient, error: unknown): Promise<void> {
  const code = codeOf(error);
  const isIntact = error instanceof StewardError || WRITE_CONFLICTS.has(code) || code === LOCK_NOT_AVAILABLE;
  const failure = isIntact
    ? await client.query('rollback').then(
        () => undefined,
        (reason: Error) => reason,
      )
    : error;
  client.release(failure instanceof Error ? failure : undefined);
}

async function runScript<T>(script: Script<T>, runOne: (statement: Statement) => Promise<readonly Row[]>): Promise<T> {
  let step = script.next();
  while (step.done !== true) step = script.next(await runOne(step.value));
  return step.value;
}

/** Sends the statements of a transaction. Those that the script does not wait for go together with the next one that it does. */
function createPipeline(client: PoolClient) {
  const { stream } = client.connection;
  const answers: Promise<unknown>[] = [];
  let isGathering = false;

  function send<T>(query: () => Promise<T>): Promise<T> {
    if (!isGathering) stream.cork();
    isGathering = true;
    const answer = query();
    answers.push(answer);
    // Reported by `commit` or `failure`.
    answer.catch(() => undefined);
    return answer;
  }

  /**
   * Sends what was gathered: a round trip costs as much as a short statement. The stream stays uncorked until the next statement:
   * while an earlier write is under way, as it always is over TLS, Node sends the rest when that ends, but only if it is not corked then.
   */
  function flush(): void {
    if (isGathering) stream.uncork();
    isGathering = false;
  }

  return {
    begin: (sql: string): void => void send(() => client.query(sql)),
    async run({ sql, values, onRows }: Statement): Promise<readonly Row[]> {
      const answer = send(() => run(client, sql, values));
      if (onRows === undefined) {
        flush();
        return answer;
      }
      const applied = answer.then(onRows);
      applied.catch(() => undefined);
      answers.push(applied);
      return [];
    },
    /** After a failed statement, PostgreSQL takes a commit as a rollback and reports success. */
    async commit(): Promise<void> {
      const answer = send(() => client.query('commit'));
      flush();
      const { command } = await answer;
      await Promise.all(answers);
      if (command !== 'COMMIT') throw new Error(`PostgreSQL answered a commit with ${command}`);
    },
    /** The first failure: all statements after it fail because of it. */
    async failure(last: unknown): Promise<unknown> {
      flush();
      const settled = await Promise.allSettled(answers);
      const first = settled.find((one) => one.status === 'rejected');
      return first === undefined ? last : first.reason;
    },
  };
}

async function attempt<T>(pool: PostgresPool, begin: string, script: () => Script<T>): Promise<T> {
  const client = await pool.connect();
  const pipeline = createPipeline(client);
  try {
    pipeline.begin(begin);
    const result = await runScript(script(), pipeline.run);
    await pipeline.commit();
    client.release();
    return result;
  } catch (error) {
    const first = await pipeline.failure(error);
    await releaseAfterFailure(client, first);
    throw first;
  }
}

/** Runs each statement on any connection. */
function readScript<T>(pool: PostgresPool, script: Script<T>, onFailure: OnFailure): Promise<T> {
  return runScript(script, async ({ sql, values, onRows }) => {
    const found = await repeat(() => pool.query<Row>(statementOf(sql, values)), onFailure);
    onRows?.(found);
    return found;
  });
}

/**
 * One round trip. The lock is a separate statement, so that the next one sees everything committed before the lock was
 * granted. A migration has no time limit, because that of a large table may take long.
 *
 * While an exclusive lock is waited for, every shared one waits behind it. So the wait is short and is repeated after a pause:
 * a replica that is frozen in a transaction delays the writes of the others, but does not stop them.
 */
const BEGIN = {
  shared: `begin; select pg_advisory_xact_lock_shared(${WRITE_LOCK})`,
  exclusive: `begin; set local lock_timeout = ${LOCK_WITHIN_MS}; select pg_advisory_xact_lock(${WRITE_LOCK}); set local lock_timeout = 0`,
  migration: `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = ${MIGRATION_IDLE_MS}; set local lock_timeout = ${LOCK_WITHIN_MS}; select pg_advisory_xact_lock(${WRITE_LOCK})`,
  unflushed: `begin; set local synchronous_commit = off; select pg_advisory_xact_lock_shared(${WRITE_LOCK})`,
} as const;

/** Called with the code of an error that ends a read or a write. */
type OnFailure = (code: string) => void;

/** Runs it again after a conflict. The pool closes the connection of a failed query, so the next try uses another one. */
async function repeat<T>(work: () => Promise<T>, onFailure: OnFailure): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const code = codeOf(error);
      const isAgain = WRITE_CONFLICTS.has(code) || AGAIN_ELSEWHERE.has(code) || code === LOCK_NOT_AVAILABLE;
      if (tries >= TRIES || !isAgain) {
        onFailure(code);
        throw translated(error);
      }
      if (code === LOCK_NOT_AVAILABLE) await setTimeout(LOCK_PAUSE_MS);
    }
  }
}

/** Opens a store on PostgreSQL. */
export async function openPostgres(
  url: string,
  log: Log,
  connections: number,
  use: PostgresUse = SERVER_USE,
): Promise<Engine> {
  const presence = randomInt(2 ** 31);
  const pool = openPool(url, log, connections, { ...use, presence });
  try {
    await checkServer(pool, log);
  } catch (error) {
    await pool.end();
    throw explained(error, use) ?? translated(error);
  }
  const listener = createListener({ pool, presence, hasStandIn: connections > 1, log });
  const health = createServerHealth(systemClock);
  async function write<T>(begin: string, script: () => Script<T>): Promise<T> {
    const result = await repeat(() => attempt(pool, begin, script), health.failed);
    health.written();
    return result;
  }
  return {
    dialect: postgresDialect,
    owner: sessionOwner(presence),
    read: (script) => readScript(pool, script, health.failed),
    async write(lock, script, onVisible) {
      const result = await write(BEGIN[lock], script);
      onVisible?.();
      return result;
    },
    listen: listener.start,
    isPresent: listener.isPresent,
    presentForMs: () => performance.now() - (listener.regainedAt() ?? Number.NEGATIVE_INFINITY),
    writeUnflushed: (script) => write(BEGIN.unflushed, script),
    obstacles: health.obstacles,
    close: () => pool.end(),
  };
}
