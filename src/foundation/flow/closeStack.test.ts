import { expect, test } from 'vitest';
import { createCloseStack } from './closeStack.ts';
import type { LogFields } from '../log.ts';
import { silentLog } from '../log.ts';

test('parts are closed last in, first out, and a part that fails does not keep the others open', async () => {
  const closed: string[] = [];
  const errors: LogFields[] = [];
  const stack = createCloseStack({ ...silentLog, error: (fields) => void errors.push(fields) });
  stack.add('store', () => void closed.push('store'));
  stack.add('courier', () => Promise.reject(new Error('stuck')));
  stack.add('server', async () => void closed.push('server'));
  await stack.close();
  expect(closed).toEqual(['server', 'store']);
  expect(errors).toEqual([{ part: 'courier', reason: 'stuck' }]);
});

test('a second close waits for the first, and closes nothing twice', async () => {
  const closed: string[] = [];
  const stack = createCloseStack(silentLog);
  stack.add('store', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    closed.push('store');
  });
  void stack.close();
  await stack.close();
  expect(closed).toEqual(['store']);
});
