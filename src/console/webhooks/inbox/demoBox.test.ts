import { expect, test } from 'vitest';
import { boxOf } from './demoBox.ts';

test('a webhook has a box at the demo receiver if its address is below /receive', () => {
  const url = 'http://127.0.0.1:6081';
  expect(boxOf(`${url}/receive/mine`, url)).toBe('mine');
  expect(boxOf(`${url}/receive/%C3%BCbersicht?x=1`, url)).toBe('übersicht');
  expect(boxOf(`${url}/receive/`, url)).toBeUndefined();
  expect(boxOf(`${url}/receive/%zz`, url)).toBeUndefined();
  expect(boxOf('https://example.com/receive/mine', url)).toBeUndefined();
});
