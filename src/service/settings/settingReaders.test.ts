import { expect, test } from 'vitest';
import {
  readHost,
  readNamespaces,
  readNetworks,
  readOrigin,
  readOrigins,
  readRoot,
  readStore,
} from './settingReaders.ts';

const READERS = { readHost, readNamespaces, readNetworks, readOrigin, readOrigins, readRoot, readStore } as const;

test.each<[keyof typeof READERS, string, unknown]>([
  ['readHost', '127.0.0.1', '127.0.0.1'],
  ['readHost', 'steward.example', 'steward.example'],
  ['readRoot', '/admin/', '/admin'],
  ['readRoot', '/a/b', '/a/b'],
  ['readOrigin', 'https://steward.example/', 'https://steward.example'],
  [
    'readOrigins',
    'https://Portal.example/, http://localhost:3000,https://a.example:443',
    ['https://portal.example', 'http://localhost:3000', 'https://a.example'],
  ],
  ['readStore', 'sqlite', 'sqlite'],
  ['readStore', 'postgres://u:p@h/d', 'postgres://u:p@h/d'],
  ['readNetworks', '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ['readNamespaces', 'urn:a,urn:b,', ['urn:a', 'urn:b']],
])('%s accepts "%s"', (reader, given, value) => {
  expect(READERS[reader](given)).toEqual({ kind: 'valid', value });
});

test.each<[keyof typeof READERS, string]>([
  ['readHost', 'a b'],
  ['readRoot', 'admin'],
  ['readRoot', '/rest/admin'],
  ['readRoot', '/'],
  ['readOrigin', 'ftp://steward.example'],
  ['readOrigin', 'https://steward.example?x'],
  ['readOrigins', '*'],
  ['readOrigins', 'null'],
  ['readOrigins', 'portal.example'],
  ['readOrigins', 'https://portal.example/path'],
  ['readOrigins', 'https://*.example'],
  ['readOrigins', 'https://user@portal.example'],
  ['readOrigins', 'https://'],
  ['readStore', 'mysql://h/d'],
  ['readNetworks', '10.0.0.0/33'],
  ['readNetworks', 'example.com'],
  ['readNamespaces', 'urn:a b'],
])('%s refuses "%s"', (reader, given) => {
  expect(READERS[reader](given)).toMatchObject({ kind: 'invalid' });
});
