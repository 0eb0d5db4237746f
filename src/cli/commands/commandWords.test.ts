import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_WORDS, inCommands } from './commandWords.ts';

const UPGRADES = join(import.meta.dirname, '..', '..', 'upgrades');
const SOURCES = readdirSync(UPGRADES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(UPGRADES, file), 'utf8'))
  .join('\n');

test.each(COMMAND_WORDS.filter(([said]) => !said.endsWith(': ')))('[U30] a check still says "%s"', (said) =>
  expect(SOURCES).toContain(said),
);

test('[U30] advice about a restore point names the command and the flag', () => {
  const said =
    'Create one and declare it with declareRestorePoint, add the hook `backup`, or send withoutRestorePoint=true to continue without one.';
  expect(inCommands(said)).toBe(
    'Create one and declare it with steward restore-point NAME, add the hook `backup`, or give --without-restore-point to continue without one.',
  );
});
