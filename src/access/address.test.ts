import { expect, test } from 'vitest';
import { canonicalAddress, networkOf } from './address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:443', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:8080', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:443', 'fe80::1'],
  ['300.1.1.1', undefined],
  ['192.0.2.1:', undefined],
  ['localhost', undefined],
  ['', undefined],
])('[ACC5] the canonical notation of %s is %s', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});

test.each([
  ['192.0.2.1:1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001:db8::5:6:7:8', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::1.2.3.4', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('[ACC5] failed sign-ins of %s are counted for %s', (text, network) => {
  expect(networkOf(text)).toBe(network);
});
