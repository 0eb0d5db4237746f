// The compiler checks this file, too: each expected error is a call that must not compile.
import { expect, expectTypeOf, test } from 'vitest';
import { jobOperations } from '../../wire/operations/jobOperations.ts';
import { modeOperations } from '../../wire/operations/systemOperations.ts';
import { uploadOperations } from '../../wire/operations/uploadOperations.ts';
import type { Call } from './connection.ts';
import { callOperation } from './typedCall.ts';

/** A connection that answers {}, and the calls that it got. */
function recorded() {
  const calls: Call[] = [];
  const call = async (one: Call): Promise<unknown> => {
    calls.push(one);
    return {};
  };
  return { calls, connection: { call } };
}

test('[C2] a call of a command has the method, the path and the fields of its operation', async () => {
  const { calls, connection } = recorded();
  const itemFile = { name: 'a.json', bytes: new Uint8Array(1) };
  await callOperation(connection, jobOperations.item, { names: { id: 'a/b' } });
  await callOperation(connection, modeOperations.mode, {});
  await callOperation(connection, modeOperations.mode, { fields: { isReadOnly: true, message: undefined } });
  await callOperation(connection, uploadOperations.upload, { fields: { itemFile, description: 'd' } });
  expect(calls).toEqual([
    { method: 'GET', path: '/system/jobs/a%2Fb', fields: {} },
    { method: 'GET', path: '/mode', fields: {} },
    { method: 'POST', path: '/mode', fields: { isReadOnly: 'true' } },
    { method: 'POST', path: '/uploads/upload', fields: { description: 'd' }, files: { itemFile } },
  ]);
});

test('[C2] a call of a command with a wrong name, field or answer does not compile', async () => {
  const { calls, connection } = recorded();
  const mode = await callOperation(connection, modeOperations.mode, {});
  expectTypeOf(mode.isReadOnly).toEqualTypeOf<boolean>();
  // @ts-expect-error: the answer has no such field
  void mode.readOnly;
  // @ts-expect-error: the id of the job is missing
  await callOperation(connection, jobOperations.item, {});
  // @ts-expect-error: the path names an id
  await callOperation(connection, jobOperations.item, { names: { job: '1' } });
  // @ts-expect-error: no such field
  await callOperation(connection, modeOperations.mode, { fields: { readOnly: true } });
  // @ts-expect-error: the file is missing
  await callOperation(connection, uploadOperations.upload, { fields: { description: 'a' } });
  // @ts-expect-error: a path is not an address
  await connection.call({ method: 'GET', path: '/mode', fields: {} });
  expect(calls).toHaveLength(6);
});
