import { expect, test } from 'vitest';
import { bindingAllows, canonicalAddress } from './binding.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', undefined],
  ['300.1.1.1', undefined],
  ['localhost', undefined],
])('the canonical notation of %s is %s', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});

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
