import { expect, test } from 'vitest';
import { nameInWords } from './nameInWords.ts';

test.each([
  ['database', 'Database'],
  ['portal-content', 'Portal content'],
  ['updateToLatestPatch', 'Update to latest patch'],
])('the name %s is shown as %s', (name, words) => {
  expect(nameInWords(name)).toBe(words);
});
