import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import type { Checkpointer } from './checkpointer.ts';
import { createCheckpointer } from './checkpointer.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let database: DatabaseSyncInstance;
let checkpointer: Checkpointer;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'steward.db');
  database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table kept (text text)');
  checkpointer = createCheckpointer(file);
});
afterEach(async () => {
  await checkpointer.close();
  database.close();
  folder.remove();
});

/** Writes more than is between two checkpoints. */
async function writeMuch(): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    database.exec(`insert into kept values ('${'x'.repeat(1000)}')`);
    await checkpointer.checkpoint();
  }
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

async function sizeAfterWriting(): Promise<number> {
  await writeMuch();
  return sizeOf(file);
}

test('moves the log into the file while writes go on', async () => {
  expect(sizeOf(file)).toBeLessThan(50_000);
  await expect.poll(sizeAfterWriting).toBeGreaterThan(50_000);
});

test('does not create a file that was moved away, and leaves its log', async () => {
  const moved = join(folder.path, 'moved.db');
  renameSync(file, moved);
  await writeMuch();
  await checkpointer.close();
  expect(existsSync(file)).toBe(false);
  expect(sizeOf(`${file}-wal`)).toBeGreaterThan(50_000);
});

test('replaces a thread that could not start', async () => {
  const moved = join(folder.path, 'moved.db');
  renameSync(file, moved);
  await writeMuch();
  // Waits for the checkpoint that is under way, which ends with its thread.
  await checkpointer.close();
  renameSync(moved, file);
  await expect.poll(sizeAfterWriting).toBeGreaterThan(50_000);
});
