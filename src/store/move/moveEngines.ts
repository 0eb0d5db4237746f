// Opens the two stores of a move, each so that no server can use it at the same time.
import { existsSync } from 'node:fs';
import { MINUTE } from '../../foundation/clock.ts';
import type { CloseStack } from '../../foundation/flow/closeStack.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { Engine } from '../engine/engine.ts';
import type { PostgresUse } from '../engine/postgresPool.ts';
import type { StoreLocation } from '../store.ts';

/** Counting the rows of a large table takes longer than any statement of a server. */
const USE = { application: 'steward move-store', statementMs: 10 * MINUTE, idleInTransactionMs: MINUTE };

interface OpenOptions {
  readonly log: Log;
  readonly closeStack: CloseStack;
}

function unreachable(setting: string, error: unknown): unknown {
  if (!(error instanceof StewardError) || error.code !== 'unavailable') return error;
  return new StewardError(
    'unavailable',
    `${setting}: the database cannot be reached: ${reasonOf(error.cause)}. Nothing was changed.`,
    { cause: error },
  );
}

async function openEngine(
  { kind, at, connections }: StoreLocation,
  use: PostgresUse,
  { log, closeStack }: OpenOptions,
): Promise<Engine> {
  try {
    const engine =
      kind === 'postgres'
        ? await (await import('../engine/postgres.ts')).openPostgres(at, log, connections, use)
        : await (await import('../engine/sqlite/sqlite.ts')).openSqlite(at, { log, leavesOneFile: true });
    closeStack.add(use.setting, () => engine.close());
    return engine;
  } catch (error) {
    throw unreachable(use.setting, error);
  }
}

/** Opens the store to move. `check` throws when others may change it, because its lock was lost. */
export async function openSource(
  location: StoreLocation,
  options: OpenOptions,
): Promise<{ readonly source: Engine; readonly checkSource: () => void }> {
  const use = { ...USE, setting: '--from' };
  const { kind, at } = location;
  if (kind === 'sqlite' && !existsSync(at))
    throw new StewardError('notFound', `--from: no store exists at ${at}. Name the data folder of Steward.`);
  const source = await openEngine(location, use, options);
  if (kind === 'sqlite') return { source, checkSource: () => undefined };
  const hold = await (await import('../engine/postgresHold.ts')).holdPostgres(at, use);
  options.closeStack.add('the lock of --from', () => hold.release());
  return { source, checkSource: hold.check };
}

/** Opens the store to fill. */
export function openTarget(location: StoreLocation, options: OpenOptions): Promise<Engine> {
  return openEngine(location, { ...USE, setting: '--to' }, options);
}
