import { expect, test } from 'vitest';
import { bindingAllows } from './binding.ts';

test.each([
  ['https://app.example/map', 'https://app.example/map/page?x=1', true],
  ['https://app.example/map', 'https://app.example/mapping', false],
  ['https://app.example', 'https://app.example/any', true],
  ['https://app.example', 'https://app.example.evil/', false],
  ['https://app.example', 'http://app.example/', false],
  ['desktop', 'desktop', true],
  ['desktop', 'desktop/x', false],
])('a token for the referer %s used with %s is allowed: %s', (value, referer, isAllowed) => {
  expect(bindingAllows({ client: 'referer', value }, { address: '192.0.2.1', referer })).toBe(isAllowed);
});

test('a token without a binding is allowed everywhere', () => {
  expect(bindingAllows(undefined, { address: '192.0.2.1', referer: undefined })).toBe(true);
});
