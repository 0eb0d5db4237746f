import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { turns, until } from '../../../../test/support/run/until.ts';
import type { Engine } from '../engine.ts';
import { createFlusher } from './flusher.ts';
import type { Script } from '../script.ts';
import { integer } from '../codec.ts';
import { row, rows } from '../script.ts';
import { openSqlite } from './sqlite.ts';

let folder: ReturnType<typeof temporaryFolder>;
let engine: Engine;
let flushes: { readonly done: () => void; readonly fail: (error: Error) => void }[];
let broken: string[];

/** Waits until the engine requests a flush; the test decides how it ends. */
async function nextFlush(): Promise<(typeof flushes)[number]> {
  await until('the engine asks for a flush', () => flushes.length > 0);
  const flush = flushes.shift();
  if (flush === undefined) throw new Error('no flush was requested');
  return flush;
}

function add(n: number): Promise<number> {
  return engine.write('shared', function* (): Script<number> {
    yield* rows('insert into t (n) values ($1)', n);
    const count = yield* row('select count(*) as n from t');
    return count === undefined ? 0 : integer('n').read(count);
  });
}

async function stateOf(promise: Promise<unknown>): Promise<string> {
  const waiting = turns(100).then(() => 'waiting');
  return Promise.race([
    promise.then(
      () => 'succeeded',
      () => 'failed',
    ),
    waiting,
  ]);
}

beforeEach(async () => {
  folder = temporaryFolder();
  flushes = [];
  broken = [];
  engine = await openSqlite(join(folder.path, 'steward.db'), {
    sync: () => new Promise((resolve, reject) => flushes.push({ done: resolve, fail: reject })),
    onBroken: (reason) => broken.push(reason),
  });
  const made = engine.write('exclusive', () => rows('create table t (n integer primary key)'));
  (await nextFlush()).done();
  await made;
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

test('a write does not succeed before it is flushed', async () => {
  const write = add(1);
  const flush = await nextFlush();
  expect(await stateOf(write)).toBe('waiting');
  flush.done();
  expect(await write).toBe(1);
});

test('writes that arrive during a flush share the next flush', async () => {
  const first = add(1);
  const flush = await nextFlush();
  const others = [2, 3, 4].map(add);
  flush.done();
  await first;
  (await nextFlush()).done();
  expect(await Promise.all(others)).toEqual([2, 3, 4]);
  expect(flushes).toEqual([]);
});

test('a write that fails does not affect the others of its group', async () => {
  const results = Promise.allSettled([add(1), add(1), add(2)]);
  (await nextFlush()).done();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await engine.read(rows('select n from t order by n'))).toEqual([{ n: 1 }, { n: 2 }]);
});

test('after a failed flush no write succeeds, including those that were waiting', async () => {
  const first = add(1);
  const flush = await nextFlush();
  const second = add(2);
  flush.fail(new Error('EIO'));
  await expect(first).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('unknown whether'),
  });
  await expect(second).rejects.toMatchObject({ code: 'unavailable' });
  await expect(add(3)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Nothing was changed'),
  });
  expect(broken[0]).toBe('EIO');
});

test('a flush that is requested during a failing one fails too, even if the operating system reports success', async () => {
  let calls = 0;
  const flusher = createFlusher(async () => {
    calls += 1;
    if (calls === 1) throw new Error('EIO');
  });
  const results = await Promise.allSettled([flusher.flush(), flusher.flush(), flusher.flush()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(flusher.isBroken()).toBe(true);
});

test('[UPG14] caches learn of a change before any read can see it, and the writer after the flush', async () => {
  const seen: number[] = [];
  const script = () => rows('insert into t (n) values (7)');
  const written = engine.write('shared', script, () => seen.push(7));
  const flush = await nextFlush();
  expect(await engine.read(rows('select n from t'))).toEqual([{ n: 7 }]);
  expect(seen).toEqual([7]);
  expect(await stateOf(written)).toBe('waiting');
  flush.done();
  await written;
});
