import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { ensureMasterKeys } from './masterKey.ts';
import { readSecret, writeSecretOnce } from './secretFile.ts';
import { describeLocation } from './storeLocation.ts';

function folder(): string {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  return path;
}

test('a secret is written for its owner only, and never replaces another', () => {
  const file = join(folder(), 'secret');
  expect(readSecret(file)).toBeUndefined();
  expect(writeSecretOnce(file, 'first')).toBe('first');
  expect(writeSecretOnce(file, 'second')).toBe('first');
  expect(readSecret(file)).toBe('first');
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('an empty file of an interrupted write is replaced', () => {
  const file = join(folder(), 'secret');
  writeFileSync(file, '');
  expect(writeSecretOnce(file, 'first')).toBe('first');
});

test('the master key is created once, and older keys follow on further lines', () => {
  const data = folder();
  const [key] = ensureMasterKeys(data, undefined);
  expect(key).toHaveLength(32);
  expect(ensureMasterKeys(data, undefined)).toEqual([key]);
  const rotated = join(data, 'rotated');
  const next = Buffer.alloc(32, 7);
  writeFileSync(rotated, `${next.toString('base64')}\n${readFileSync(join(data, 'master.key'), 'utf8')}`);
  expect(ensureMasterKeys(data, rotated)).toEqual([next, key]);
});

test('a configured master key that is missing or too short is refused', () => {
  const file = join(folder(), 'key');
  expect(() => ensureMasterKeys('', file)).toThrow('does not exist or is empty');
  writeFileSync(file, 'c2hvcnQ=');
  expect(() => ensureMasterKeys('', file)).toThrow('is not a master key');
});

test('the description of a store does not contain its password', () => {
  const at = 'postgres://user:password@db.example:5432/steward';
  expect(describeLocation({ kind: 'postgres', at, connections: 1 })).toBe('PostgreSQL at db.example:5432/steward');
  expect(describeLocation({ kind: 'sqlite', at: '/data/steward.db', connections: 1 })).toBe(
    '/data/steward.db (SQLite)',
  );
});
