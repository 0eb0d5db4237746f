import { expect, test } from 'vitest';
import { compareVersions, isBuild, isVersion } from './versionNumber.ts';

test('[UPG3] versions are compared number by number', () => {
  const sorted = ['9', '10.9', '10.9.1', '10.10', '11.0', '11.0.0.1', '11.1'];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  expect(compareVersions('11', '11.0.0')).toBe(0);
});

test('[UPG3] a version number has only one spelling', () => {
  expect(['0', '11.0', '1.2.3.4.5'].every(isVersion)).toBe(true);
  expect(['', '011', '11.', '.1', '1.2.3.4.5.6', '1a', '11.0\n', 11].some(isVersion)).toBe(false);
  expect(['0', '999999999999999'].every(isBuild)).toBe(true);
  expect(['', '00', '1.0', '-1', '1000000000000000', 1].some(isBuild)).toBe(false);
});
