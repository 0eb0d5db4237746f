import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { until } from '../../../test/support/run/until.ts';
import { createLogSink } from './logSink.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let fd: number;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'log');
  fd = openSync(file, 'a');
});
afterEach(() => folder.remove());

const written = (): string => readFileSync(file, 'utf8');
const gapLine = (lines: number, reason: string): string => `${lines} missing: ${reason}\n`;

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** A disk with this much room in bytes, which a test can change. */
function smallDisk(room: number, code = 'ENOSPC') {
  const disk = { room, refusals: 0 };
  const writeBytes = (to: number, bytes: Buffer, done: (error: Error | null, count: number) => void): void => {
    const fitting = bytes.subarray(0, disk.room);
    if (fitting.length === 0) {
      disk.refusals += 1;
      return void setImmediate(done, failure(code), 0);
    }
    disk.room -= fitting.length;
    return void setImmediate(done, null, writeSync(to, fitting));
  };
  return { disk, writeBytes };
}

test('the log sink writes every line once and in order, with and without a flush', async () => {
  const sink = createLogSink({ fd, blockLength: 100, everyMs: 1, maxWaiting: 1e6, gapLine });
  const lines = Array.from({ length: 500 }, (_, n) => `line ${n}\n`);
  for (const line of lines.slice(0, 400)) sink.write(line);
  await until('the lines are written', () => written() === lines.slice(0, 400).join(''));
  for (const line of lines.slice(400)) sink.write(line);
  await until('the block is written', () => written().includes('line 420'));
  sink.flush();
  await until('all is written', () => written().length === lines.join('').length);
  expect(written()).toBe(lines.join(''));
  closeSync(fd);
});

test('[DEC90] a full disk delays the log: with room again, all lines follow, and the one that was cut is whole', async () => {
  const { disk, writeBytes } = smallDisk(10);
  const sink = createLogSink({
    fd,
    blockLength: 1,
    everyMs: 0,
    maxWaiting: 1e6,
    retryFailedMs: 1,
    gapLine,
    writeBytes,
  });
  for (const line of ['first\n', 'second\n', 'third\n']) sink.write(line);
  await until('the disk is full', () => disk.refusals > 2);
  expect(written()).toBe('first\nseco');
  disk.room = 1e6;
  await until('the last line is written', () => written().includes('third'));
  expect(written()).toBe('first\nseco\nsecond\nthird\n');
  expect(sink.dropped()).toBe(0);
  closeSync(fd);
});

test('[DEC90] lines that have no room are counted, and a line at their place says how many they were', async () => {
  const { disk, writeBytes } = smallDisk(0);
  const sink = createLogSink({ fd, blockLength: 1, everyMs: 0, maxWaiting: 12, retryFailedMs: 1, gapLine, writeBytes });
  for (const line of ['first\n', 'other\n', 'third\n', 'fourth\n']) sink.write(line);
  await until('the disk is full', () => disk.refusals > 0);
  expect(sink.dropped()).toBe(2);
  disk.room = 1e6;
  await until('the room is used', () => written().includes('other'));
  sink.write('last\n');
  await until('the last line is written', () => written().includes('last'));
  expect(written()).toBe('first\nother\n2 missing: the disk of the log was full\nlast\n');
  closeSync(fd);
});

test('[DEC90] a log without a reader keeps nothing in memory, and says to the next reader how much is missing', async () => {
  const { disk, writeBytes } = smallDisk(0, 'EPIPE');
  const sink = createLogSink({ fd, blockLength: 1, everyMs: 0, maxWaiting: 12, retryFailedMs: 1, gapLine, writeBytes });
  for (let n = 0; n < 5; n += 1) {
    sink.write(`line ${n}\n`);
    await until('the line is dropped', () => sink.dropped() === n + 1);
  }
  disk.room = 1e6;
  sink.write('last\n');
  await until('the last line is written', () => written().includes('last'));
  expect(written()).toBe('5 missing: the log had no reader\nlast\n');
  closeSync(fd);
});

test('the log sink drops lines when too many wait, and when its file is gone, and a flush returns', () => {
  const sink = createLogSink({ fd, blockLength: 1e6, everyMs: 1e6, maxWaiting: 10, gapLine });
  sink.write('12345\n');
  sink.write('67890\n');
  sink.flush();
  expect(written()).toBe('12345\n1 missing: the reader of the log was too slow\n');
  closeSync(fd);
  sink.write('x\n');
  sink.flush();
  expect(written()).toBe('12345\n1 missing: the reader of the log was too slow\n');
});
