import { expect, test } from 'vitest';
import type { Mode } from '../model/mode.ts';
import { createReadOnlyMode } from './readOnlyMode.ts';

test('[STO7] the current mode is read from the store again only after a change, which is known before the answer', async () => {
  let [stored, reads]: [Mode, number] = [{ isReadOnly: false, message: '', setBy: 'hand' }, 0];
  let hasChanged = false;
  const area = createReadOnlyMode({
    store: {
      mode: async () => {
        reads += 1;
        return stored;
      },
      numberedMode: () => Promise.reject(new Error('not used here')),
      changeMode: () => Promise.reject(new Error('not used here')),
    },
    catchUp: async () => {
      if (hasChanged) area.invalidate();
    },
  });
  await area.current();
  expect(await area.current()).toEqual(stored);
  expect(reads).toBe(1);
  [stored, hasChanged] = [{ isReadOnly: true, message: 'back at noon', setBy: 'hand' }, true];
  expect(await area.current()).toEqual(stored);
});
