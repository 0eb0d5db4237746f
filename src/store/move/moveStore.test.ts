import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { IS_SOAK } from '../../../test/support/run/limits.ts';
import { until } from '../../../test/support/run/until.ts';
import { intercept } from '../../../test/support/clock/intercept.ts';
import { contentOf, fillStore } from '../../../test/support/store/filledStore.ts';
import type { StoreKind } from '../../../test/support/store/stores.ts';
import { changeRows, openStoreOn, postgresKind, rowsOf, sqliteKind } from '../../../test/support/store/stores.ts';
import { systemClock } from '../../foundation/clock.ts';
import type { CloseStack } from '../../foundation/flow/closeStack.ts';
import { createCloseStack } from '../../foundation/flow/closeStack.ts';
import { silentLog } from '../../foundation/log.ts';
import type { Engine } from '../engine/engine.ts';
import type { StoreLocation } from '../store.ts';
import { openSource, openTarget } from './moveEngines.ts';
import type { MoveResult } from './moveStore.ts';
import { moveStore } from './moveStore.ts';

/** Small pages, so that a few rows have many of them. */
const LIMITS = { rows: 100, bytes: 100_000 };
const DELIVERIES = 450;
/** A soak ends a run at every write; otherwise each run comes some writes further than the one before it. */
const WRITES_EACH = IS_SOAK ? 3 : 9;
/** More runs than the rows of the interrupted move need. */
const RUNS_OF_ROWS = IS_SOAK ? 50 : 8;
/** By how many writes later each run ends after that. */
const STEP = IS_SOAK ? 1 : 5;

let closeStack: CloseStack;
let lines: string[];
beforeEach(() => {
  closeStack = createCloseStack(silentLog);
  lines = [];
});
afterEach(() => closeStack.close());

async function place(kind: StoreKind): Promise<StoreLocation> {
  const made = await kind.place();
  onTestFinished(() => made.remove());
  return made.place;
}

async function filled(kind: StoreKind, deliveries = DELIVERIES): Promise<StoreLocation> {
  const location = await place(kind);
  await fillStore(location, deliveries);
  return location;
}

/** Runs the move, as far as `around` lets it come. */
async function move(
  from: StoreLocation,
  to: StoreLocation,
  around: (target: Engine) => Engine = (target) => target,
): Promise<MoveResult> {
  const options = { log: silentLog, closeStack };
  try {
    const opened = { ...(await openSource(from, options)), target: around(await openTarget(to, options)) };
    return await moveStore({
      ...opened,
      from: 'the source',
      clock: systemClock,
      limits: LIMITS,
      report: {
        begin: (isResumed) => lines.push(isResumed ? 'resumed' : 'began'),
        copied: ({ table, copied, isCopied }, total) =>
          void (isCopied && lines.push(`copied ${table} ${copied}/${total}`)),
        compared: ({ table, isEqual }) => void (isEqual || lines.push(`different ${table}`)),
        copyAgain: (table) => lines.push(`again ${table}`),
      },
    });
  } finally {
    await closeStack.close();
    closeStack = createCloseStack(silentLog);
  }
}

/** Fails at one write: before it, or after it was committed, as a process that is killed. */
function dying(at: number, isCommitted: boolean): (target: Engine) => Engine {
  let writes = 0;
  return (target) =>
    intercept(target, async (name, call) => {
      if (name !== 'write') return call();
      writes += 1;
      if (writes === at && !isCommitted) throw new Error('killed');
      const answer = await call();
      if (writes === at) throw new Error('killed');
      return answer;
    });
}

const KINDS = [sqliteKind, postgresKind];

describe.each(
  KINDS.flatMap((from) => KINDS.map((to) => ({ from, to, title: `from a store ${from.title} to one ${to.title}` }))),
)('[DEC71] a move $title', ({ from, to }) => {
  const skip = !from.isHere || !to.isHere;

  test.skipIf(skip)('copies every row of every table, and compares both sides', async () => {
    const [source, target] = [await filled(from), await place(to)];
    const before = await contentOf(source);
    const { comparisons, completedBefore } = await move(source, target);
    expect(completedBefore).toBeUndefined();
    expect(await contentOf(target)).toEqual(before);
    expect(await contentOf(source)).toEqual(before);
    for (const { table, isEqual, source: ours, target: theirs } of comparisons)
      expect([table, isEqual, ours, ours.rows]).toEqual([table, true, theirs, before.get(table)?.length]);
    expect(comparisons.map(({ table }) => table)).toEqual([...before.keys()]);
    expect(lines).toContain(`copied delivery ${DELIVERIES}/${DELIVERIES}`);
  });

  test.skipIf(skip)('gives new rows the numbers that the source would have given', async () => {
    const [source, target] = [await filled(from, 3), await place(to)];
    await move(source, target);
    await changeRows(target, `insert into outbox (at, type, data) values (1, 'x', '{}')`);
    await changeRows(
      target,
      `insert into audit (at, who, address, request_id, action, target) values (1, 'x', 'x', 'x', 'x', 'x')`,
    );
    const last = async (table: string): Promise<number> =>
      Math.max(...(await rowsOf(target, table)).map(({ id }) => Number(id)));
    expect(await last('outbox')).toBe(11);
    expect(await last('audit')).toBe(501);
  });
});

describe.skipIf(!postgresKind.isHere)(`[DEC71] a move that is interrupted ${postgresKind.title}`, () => {
  test('goes on where it stopped, whichever write it ended at, and whether that was committed or not', async () => {
    const source = await filled(sqliteKind, 250);
    const before = await contentOf(source);
    for (const isCommitted of [false, true]) {
      const target = await place(postgresKind);
      let interruptions = 0;
      // Each run comes one write further than the one before it. The last steps after the rows are repeated in each run.
      for (let at = isCommitted ? WRITES_EACH - 1 : WRITES_EACH; ; at += interruptions < RUNS_OF_ROWS ? 0 : STEP) {
        const result = await move(source, target, dying(at, isCommitted)).catch(String);
        if (typeof result !== 'string') break;
        expect(result).toContain('killed');
        interruptions += 1;
      }
      expect(interruptions).toBeGreaterThan(RUNS_OF_ROWS / 2);
      expect(await contentOf(target)).toEqual(before);
    }
  });

  test('copies no row twice if the commit of the killed run arrives after the next run has read how far it is', async () => {
    const [source, target] = [await filled(sqliteKind, 250), await place(postgresKind)];
    const before = await contentOf(source);
    // Every transaction is committed twice: first as the late one, then as that of this run.
    await move(source, target, (engine) =>
      intercept(engine, async (name, call) => {
        if (name === 'write') await call();
        return call();
      }),
    );
    expect(await contentOf(target)).toEqual(before);
  });

  test('copies tables again that the source has changed after they were copied', async () => {
    const [source, target] = [await filled(sqliteKind, 250), await place(postgresKind)];
    await expect(move(source, target, dying(40, false))).rejects.toThrow('killed');
    expect(lines).toContain('copied attempt 250/250');
    await changeRows(source, `delete from attempt where delivery_id = 7; update audit set who = 'eve' where id = 3`);
    lines = [];
    await move(source, target);
    expect(lines.filter((line) => /began|resumed|different|again/.test(line))).toEqual([
      'resumed',
      'different attempt',
      'different audit',
      'again attempt',
      'again audit',
    ]);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  test('keeps every server from its target until it is complete', async () => {
    const [source, target] = [await filled(sqliteKind, 250), await place(postgresKind)];
    await expect(move(source, target, dying(12, true))).rejects.toThrow('killed');
    await expect(openStoreOn(target, systemClock)).rejects.toThrow(
      /^This store is incomplete: it is the target of a move from the source.* Run "steward move-store" again with the same --from and --to/,
    );
    await move(source, target);
    await (await openStoreOn(target, systemClock)).close();
  });
});

describe.skipIf(!postgresKind.isHere)('[DEC71] a move is refused', () => {
  test('if the target has data, of Steward or of another program', async () => {
    const source = await filled(sqliteKind, 3);
    const other = await place(postgresKind);
    await changeRows(other, 'create table something (a int)');
    for (const target of [await filled(postgresKind, 1), await filled(sqliteKind, 1), other]) {
      const before = await contentOf(target);
      await expect(move(source, target)).rejects.toThrow(
        'The target has data already, and not from an interrupted move',
      );
      expect(await contentOf(target)).toEqual(before);
    }
  });

  test('if a move of another store began on the target', async () => {
    const [source, other, target] = [
      await filled(sqliteKind, 3),
      await filled(sqliteKind, 3),
      await place(postgresKind),
    ];
    await expect(move(source, target, dying(9, true))).rejects.toThrow('killed');
    await changeRows(other, 'update schema_migration set applied_at = applied_at + 1');
    await expect(move(other, target)).rejects.toThrow(/a move of another store, the source, began on it on 20/);
    await move(source, target);
  });

  test('if the source has an older or a newer schema than this version, or was migrated after the move had begun', async () => {
    const [source, target] = [await filled(sqliteKind, 3), await place(postgresKind)];
    const change = (sql: string) => changeRows(source, sql);
    await change(`insert into schema_migration (name, level, applied_at) values ('future', 9, 1)`);
    await expect(move(source, target)).rejects.toThrow('a newer version of Steward (future). Use that version');
    await change(`delete from schema_migration where name in ('future', 'plans')`);
    await expect(move(source, target)).rejects.toThrow('it lacks plans). Start this version on it once');
    await change(`insert into schema_migration (name, level, applied_at) values ('plans', 1, 1)`);
    await expect(move(source, target, dying(9, true))).rejects.toThrow('killed');
    await changeRows(target, `delete from schema_migration where name = 'plans'`);
    await expect(move(source, target)).rejects.toThrow('the schema of the source was changed after the move had begun');
  });

  test('if a server uses the source, or the source is itself the target of an unfinished move', async () => {
    const [embedded, shared, target] = [
      await filled(sqliteKind, 3),
      await filled(postgresKind, 3),
      await place(postgresKind),
    ];
    for (const source of [embedded, shared]) {
      const server = await openStoreOn(source, systemClock);
      await expect(move(source, target)).rejects.toThrow(
        source.kind === 'sqlite' ? `Another process uses ${source.at}. Stop it first` : 'Stop every replica of Steward',
      );
      await server.close();
    }
    await expect(move(embedded, target, dying(9, true))).rejects.toThrow('killed');
    await expect(move(target, await place(postgresKind))).rejects.toThrow('This store is incomplete');
  });

  test('if the source does not exist, is not a store of Steward, or cannot be reached', async () => {
    const [empty, target, missing] = [await place(postgresKind), await place(postgresKind), await place(sqliteKind)];
    await expect(move(missing, target)).rejects.toThrow(`--from: no store exists at ${missing.at}`);
    await expect(move(empty, target)).rejects.toThrow('The source is not a store of Steward.');
    const nowhere = { ...empty, at: 'postgres://steward@127.0.0.1:1/none' };
    await expect(move(nowhere, target)).rejects.toThrow(/^--from: the database cannot be reached: .*ECONNREFUSED/);
    await expect(move(await filled(sqliteKind, 1), nowhere)).rejects.toThrow(/^--to: the database cannot be reached/);
  });
});

test.skipIf(!postgresKind.isHere)(
  '[DEC71] a move that is run again after its end compares the stores, and changes nothing',
  async () => {
    const [source, target] = [await filled(sqliteKind, 3), await place(postgresKind)];
    await move(source, target);
    const again = await move(source, target);
    expect(again.completedBefore).toBeGreaterThan(0);
    expect(again.comparisons.every(({ isEqual }) => isEqual)).toBe(true);
    await changeRows(target, 'delete from attempt where delivery_id = 1');
    await expect(move(source, target)).rejects.toThrow(/was completed on 20.*have changed since \(attempt\)/);
  },
);

test.skipIf(!postgresKind.isHere)('[DEC71] while a store on PostgreSQL is moved, no one can write to it', async () => {
  const [source, target] = [await filled(postgresKind, 3), await place(postgresKind)];
  const options = { log: silentLog, closeStack };
  const { checkSource } = await openSource(source, options);
  await expect(openSource(source, options)).rejects.toThrow('Another process writes to the source. Stop every replica');
  checkSource();
  await changeRows(
    source,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'steward move-store'`,
  );
  await until('the lock is lost', () => {
    try {
      checkSource();
      return false;
    } catch (error) {
      return String(error).includes('The connection to the source was lost');
    }
  });
  await closeStack.close();
  await move(source, target);
});
