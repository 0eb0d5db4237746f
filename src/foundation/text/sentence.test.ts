import { expect, test } from 'vitest';
import { sentence } from './sentence.ts';

test.each([
  ['it is too short', 'it is too short.'],
  ['it is too short.', 'it is too short.'],
  ['is it running?', 'is it running?'],
])('[O3] %j ends with one full stop', (text, ended) => {
  expect(sentence(text)).toBe(ended);
});
