import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { asLibpq } from './servers.ts';

const ADDRESS = 'postgres://u:p@h:5432/d?';

test.each([
  ['sslmode=require', { rejectUnauthorized: false }],
  ['sslmode=verify-ca', {}],
  ['sslmode=verify-full', {}],
  ['sslmode=no-verify', { rejectUnauthorized: false }],
  ['application_name=x&sslmode=require', { rejectUnauthorized: false }],
])('[O3] an address with %s is read as libpq reads it, without a warning of the library', (query, ssl) => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const client = new Client({ connectionString: asLibpq(ADDRESS + query) });
  const calls = warn.mock.calls;
  warn.mockRestore();
  expect(client).toMatchObject({ ssl });
  expect(calls).toEqual([]);
});
