import * as fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import type { Log } from '../../../foundation/log.ts';
import { silentLog } from '../../../foundation/log.ts';
import { systemClock } from '../../../foundation/clock.ts';
import { integer } from '../codec.ts';
import type { Engine } from '../engine.ts';
import { migrate } from '../migrate.ts';
import { migrations } from '../migrations.ts';
import type { Script } from '../script.ts';
import { row, rows } from '../script.ts';
import { findDamage } from './quickCheck.ts';
import { openSqlite } from './sqlite.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let warnings: string[];
let log: Log;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'steward.db');
  warnings = [];
  log = { ...silentLog, warn: (_fields, message) => void warnings.push(message) };
});
afterEach(() => folder.remove());

function* insertMany(count: number): Script<void> {
  for (let n = 0; n < count; n += 1) yield* rows('insert into t (n) values ($1)', n);
}

async function filled(count: number): Promise<Engine> {
  const engine = await openSqlite(file, { log });
  await engine.write('exclusive', () => rows('create table t (n integer primary key)'));
  await engine.write('shared', () => insertMany(count));
  return engine;
}

async function countIn(path: string): Promise<number> {
  const engine = await openSqlite(path);
  const counted = await engine.read(row('select count(*) as n from t'));
  await engine.close();
  return counted === undefined ? 0 : integer('n').read(counted);
}

const sizeOf = (path: string): number => (fs.existsSync(path) ? fs.statSync(path).size : 0);

test('[STO5] after a clean stop the file alone is the whole store', async () => {
  const engine = await filled(1000);
  expect(await engine.read(row('select count(*) as n from t'))).toEqual({ n: 1000 });
  await engine.close();
  expect(sizeOf(`${file}-wal`)).toBe(0);
  const copy = join(folder.path, 'copy.db');
  fs.copyFileSync(file, copy);
  expect(await countIn(copy)).toBe(1000);
  expect(warnings).toEqual([]);
});

test('[STO5] after the stop of a process that ends, the store is one file, without log, index and lock', async () => {
  const engine = await openSqlite(file, { log, leavesOneFile: true });
  await engine.write('exclusive', () => rows('create table t (n integer primary key)'));
  await engine.write('shared', () => insertMany(1000));
  expect(await engine.read(row('select count(*) as n from t'))).toEqual({ n: 1000 });
  await engine.close();
  expect(fs.readdirSync(folder.path)).toEqual(['steward.db']);
  expect(await countIn(file)).toBe(1000);
  expect(warnings).toEqual([]);
});

test('[STO2] the lock of a store that was closed and opened again is held', async () => {
  await (await filled(1)).close();
  const engine = await openSqlite(file);
  await expect(openSqlite(file)).rejects.toThrow('Another process uses');
  await engine.close();
  expect(fs.existsSync(`${file}.lock`)).toBe(false);
});

test('[STO5] a stop while another process reads the store loses nothing, and warns that the log must be kept', async () => {
  const engine = await filled(10);
  const other = new DatabaseSync(file, { readOnly: true });
  other.exec('begin');
  other.prepare('select count(*) from t').get();
  await engine.write('shared', () => rows('insert into t (n) values (100)'));
  await engine.close();
  expect(warnings).toEqual([expect.stringContaining('keep the file that ends in -wal')]);
  other.exec('rollback');
  other.close();
  expect(await countIn(file)).toBe(11);
});

/** Overwrites some pages of the table, which are in the middle of the file. */
function ruinPages(): void {
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file, bytes.fill(0xff, 4 * 4096, 8 * 4096));
}

async function filledText(): Promise<void> {
  const engine = await openSqlite(file);
  await engine.write('exclusive', () => rows('create table t (n integer primary key, text text not null)'));
  const text = 'x'.repeat(1000);
  await engine.write('shared', function* (): Script<void> {
    for (let n = 0; n < 500; n += 1) yield* rows('insert into t (n, text) values ($1, $2)', n, text);
  });
  await engine.close();
}

test('[STO4] a store with damaged pages is not opened, is not changed, and is reported as damaged', async () => {
  await filledText();
  ruinPages();
  const before = fs.readFileSync(file);
  await expect(openSqlite(file)).rejects.toThrow(
    /it is damaged \(.+\)\. Nothing was changed\. Copy its folder to a safe place first\. Then restore the latest backup/,
  );
  expect(fs.readFileSync(file).equals(before)).toBe(true);
});

/** As if the store were too large to be checked as a whole. */
function damageOfLargeStore(): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return findDamage(database, fs.statSync(file).size, 0);
  } finally {
    database.close();
  }
}

test('[STO4] [DEC51] the quick check of a large store still finds damage in a small table', async () => {
  await filledText();
  expect(damageOfLargeStore()).toBeUndefined();
  ruinPages();
  expect(damageOfLargeStore()).toBeDefined();
});

test('[STO4] [DEC51] the quick check of a large store reads every table that Steward has', async () => {
  const engine = await openSqlite(file);
  await migrate(engine, migrations, { clock: systemClock });
  await engine.close();
  expect(damageOfLargeStore()).toBeUndefined();
});

test('[STO4] [DEC51] a database of another program is refused and not changed', async () => {
  const other = new DatabaseSync(file);
  other.exec('create table theirs (n)');
  other.close();
  const before = fs.readFileSync(file);
  await expect(openSqlite(file)).rejects.toThrow('it is a database of another program. Nothing was changed.');
  expect(fs.readFileSync(file).equals(before)).toBe(true);
});

test('[STO4] [DEC51] a log without its store is reported and kept', async () => {
  fs.writeFileSync(`${file}-wal`, 'a log');
  await expect(openSqlite(file)).rejects.toThrow(`${file} is missing, but its log`);
  expect(fs.readFileSync(`${file}-wal`, 'utf8')).toBe('a log');
});

const insertOne = (engine: Engine, n: number) =>
  engine.write('shared', () => rows('insert into t (n) values ($1)', n)).then(() => 'written');

function replaceByCopy(): void {
  fs.copyFileSync(file, `${file}.copy`);
  fs.renameSync(`${file}.copy`, file);
}

test.each([
  ['removed', () => fs.rmSync(file)],
  ['emptied', () => fs.truncateSync(file)],
  ['removed with its folder', () => fs.rmSync(folder.path, { recursive: true })],
  ['moved away', () => fs.renameSync(file, `${file}.old`)],
  ['replaced by a copy', replaceByCopy],
  ['left without its log', () => fs.rmSync(`${file}-wal`)],
])('[STO4] a store whose file is %s while it is open refuses writes and tells why', async (_how, act) => {
  const engine = await filled(10);
  expect(engine.obstacles()).toEqual([]);
  act();
  await expect(insertOne(engine, 100)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('The file of the store was removed or replaced'),
  });
  await expect(engine.writeUnflushed(() => rows('delete from t'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(engine.obstacles()).toEqual([expect.stringContaining('removed or replaced')]);
  await engine.close();
});

test('[STO4] a store whose folder was moved away and back accepts writes again', async () => {
  const inner = join(folder.path, 'data');
  fs.mkdirSync(inner);
  file = join(inner, 'steward.db');
  const engine = await filled(10);
  fs.renameSync(inner, `${inner}.old`);
  await expect(insertOne(engine, 100)).rejects.toMatchObject({ code: 'unavailable' });
  fs.renameSync(`${inner}.old`, inner);
  expect(engine.obstacles()).toEqual([]);
  expect(await insertOne(engine, 100)).toBe('written');
  await engine.close();
  expect(await countIn(file)).toBe(11);
});

test('[STO4] [DEC51] a store that turns out to be damaged while it is open answers so, refuses writes and is not ready', async () => {
  await filledText();
  const engine = await openSqlite(file);
  ruinPages();
  await expect(engine.read(rows('select * from t'))).rejects.toMatchObject({ code: 'unavailable' });
  const write = engine.write('shared', () => rows(`insert into t (n, text) values (1000, 'x')`));
  await expect(write).rejects.toMatchObject({ message: expect.stringContaining('The store is damaged') });
  expect(engine.obstacles()).toEqual([expect.stringContaining('the store is damaged')]);
  await engine.close();
});
