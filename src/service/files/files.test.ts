import { chmodSync, chownSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { createMasterKey, readMasterKeys, refuseLostKey } from './masterKey.ts';
import { exposure, makePrivate, quoted, readSecret, readTrouble, writeSecretOnce } from '../settings/secretFile.ts';
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

test.each([0o644, 0o604, 0o606, 0o666])(
  '[ACC11] a secret in a file with the mode %o is refused with the command that fixes it',
  (mode) => {
    const file = join(folder(), 'secret');
    writeFileSync(file, 'x');
    chmodSync(file, mode);
    const shown = mode.toString(8).padStart(4, '0');
    expect(() => readSecret(file)).toThrow(`can read or write it (mode ${shown}). Run: chmod 600 ${file}`);
    chmodSync(file, 0o600);
    expect(readSecret(file)).toBe('x');
  },
);

test('[ACC11] the group of a file may read it if the file belongs to root only', () => {
  const file = join(folder(), 'secret');
  writeFileSync(file, 'x');
  chmodSync(file, 0o640);
  expect(exposure(file) === undefined).toBe(statSync(file).uid === 0);
});

test('a store that others can read is made private, and a missing one is left alone', () => {
  const file = join(folder(), 'steward.db');
  makePrivate({ kind: 'sqlite', at: file });
  writeFileSync(file, 'x');
  chmodSync(file, 0o644);
  makePrivate({ kind: 'sqlite', at: file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a path with special characters is quoted for a shell', () => {
  expect([quoted('/data/a.key'), quoted("/my data/it's")]).toEqual(['/data/a.key', String.raw`'/my data/it'\''s'`]);
});

test('an empty file of an interrupted write is replaced', () => {
  const file = join(folder(), 'secret');
  writeFileSync(file, '');
  expect(writeSecretOnce(file, 'first')).toBe('first');
});

test('a file that cannot be read is reported with the file and the reason', () => {
  const path = folder();
  expect(() => readSecret(path)).toThrow(`${path} cannot be read: EISDIR`);
  const denied = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' });
  expect(readTrouble('/etc/tls.key', denied)).toMatch(
    /^permission denied\. The account (\S+), which runs this command, must be able to read the file .* chown \1: \/etc\/tls\.key$/,
  );
});

test.skipIf(process.getuid?.() !== 0)(
  '[O3] the owner of a file that cannot be read is not told to give it away (left out unless root runs the tests)',
  () => {
    const file = join(folder(), 'master.key');
    writeFileSync(file, 'x');
    chownSync(file, 65_534, 65_534);
    const denied = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' });
    expect(readTrouble(file, denied)).toContain(
      'belongs to the account with the number 65534. Run the command as that',
    );
    expect(readTrouble(file, denied)).not.toContain('chown');
  },
);

test('[DEC25] reading the master key creates none, and a key is created once', () => {
  const data = folder();
  expect(readMasterKeys(data, undefined)).toBeUndefined();
  expect(readdirSync(data)).toEqual([]);
  const [key] = createMasterKey(data);
  expect(key).toHaveLength(32);
  expect(readMasterKeys(data, undefined)).toEqual([key]);
  expect(createMasterKey(data)).toEqual([key]);
});

test('[DEC36] older master keys follow on further lines', () => {
  const data = folder();
  const [key] = createMasterKey(data);
  const rotated = join(data, 'rotated');
  const next = Buffer.alloc(32, 7);
  const kept = readFileSync(join(data, 'master.key'), 'utf8');
  writeFileSync(rotated, `${next.toString('base64')}\n${kept}`, { mode: 0o600 });
  expect(readMasterKeys(data, rotated)).toEqual([next, key]);
});

test('a configured master key that is missing or too short is refused', () => {
  const file = join(folder(), 'key');
  expect(() => readMasterKeys('', file)).toThrow(/does not exist or is empty\. Put the key of this store there/);
  writeFileSync(file, 'c2hvcnQ=', { mode: 0o600 });
  expect(() => readMasterKeys('', file)).toThrow('is not a master key');
});

test('[DEC25] a store without webhooks needs no old master key', () => {
  const data = folder();
  expect(() => refuseLostKey(data, 'the store', { sealedWebhooks: 0, hasSealedObjects: false })).not.toThrow();
  for (const found of [
    { sealedWebhooks: 1, hasSealedObjects: false },
    { sealedWebhooks: 0, hasSealedObjects: true },
  ])
    expect(() => refuseLostKey(data, 'the store', found)).toThrow('The master key of the store is missing.');
});

test('the description of a store does not contain its password', () => {
  const at = 'postgres://user:password@db.example:5432/steward';
  expect(describeLocation({ kind: 'postgres', at, connections: 1 })).toBe('PostgreSQL at db.example:5432/steward');
  expect(describeLocation({ kind: 'sqlite', at: '/data/steward.db', connections: 1 })).toBe(
    '/data/steward.db (SQLite)',
  );
});
