import { closeSync, openSync, readFileSync } from 'node:fs';
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

test('the log sink writes every line once and in order, with and without a flush', async () => {
  const sink = createLogSink({ fd, blockLength: 100, everyMs: 1, maxWaiting: 1e6 });
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

test('the log sink drops lines when too many wait, and when its file is gone, and a flush returns', () => {
  const sink = createLogSink({ fd, blockLength: 1e6, everyMs: 1e6, maxWaiting: 10 });
  sink.write('12345\n');
  sink.write('67890\n');
  sink.flush();
  expect(written()).toBe('12345\n');
  closeSync(fd);
  sink.write('x\n');
  sink.flush();
  expect(written()).toBe('12345\n');
});
