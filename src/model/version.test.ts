import { describe, expect, test } from 'vitest';
import { testVersion } from '../../test/support/upgrades/testVersion.ts';
import type { Version } from './version.ts';
import {
  availableFrom,
  canInstall,
  latestPatchOf,
  versionName,
  decimalVersion,
  installProblem,
  upgradePath,
} from './version.ts';

function version(id: string, over: string, more: Partial<Version> = {}): Version {
  const [update, rest = ''] = id.startsWith('pat_')
    ? ['patch' as const, id.slice(4)]
    : ['release' as const, id.slice(4)];
  const [, number = '', build = ''] = /^(.*)\.(\d+)$/.exec(rest) ?? [];
  return testVersion(id, { update, version: number, build, previousVersion: over, ...more });
}

const PATCH = version('pat_10.9.1.20', '10.9.1');
const LATER = version('pat_10.9.1.30', '10.9.1');
const ELEVEN = version('rel_11.0.1', '10.9.1');
const ELEVEN_PATCH = version('pat_11.0.5', '11.0');
const NEXT = version('rel_11.1.1', '11.0', { previousBuild: '5' });
const FIRST = version('rel_10.9.1.10', '');
const ALL = [NEXT, ELEVEN, LATER, PATCH, FIRST, ELEVEN_PATCH];
const AT = { version: '10.9.1', build: '10' };

describe('[UPG3] the chain rule', () => {
  test('lists patches first, then releases, from oldest to newest', () => {
    expect(availableFrom(ALL, AT).map(({ id }) => id)).toEqual(['pat_10.9.1.20', 'pat_10.9.1.30', 'rel_11.0.1']);
    expect(availableFrom(ALL, LATER).map(({ id }) => id)).toEqual(['rel_11.0.1']);
    expect(availableFrom(ALL, { version: '11.0', build: '5' }).map(({ id }) => id)).toEqual(['rel_11.1.1']);
  });

  test('lets a patch be installed over every lower build, from the one that it requires', () => {
    expect(canInstall(LATER, AT)).toBe(true);
    expect(canInstall(LATER, PATCH)).toBe(true);
    expect(canInstall(PATCH, PATCH)).toBe(false);
    expect(canInstall(PATCH, LATER)).toBe(false);
    expect(canInstall({ ...LATER, previousBuild: '20' }, AT)).toBe(false);
    expect(canInstall({ ...LATER, previousBuild: '20' }, PATCH)).toBe(true);
    expect(latestPatchOf(ALL, AT)?.id).toBe('pat_10.9.1.30');
    expect(latestPatchOf(ALL, LATER)).toBeUndefined();
  });

  test('lets a release require a patch', () => {
    expect(canInstall(NEXT, ELEVEN)).toBe(false);
    expect(canInstall(NEXT, ELEVEN_PATCH)).toBe(true);
  });

  test('refuses to skip a version, and names the versions to install first', () => {
    expect(upgradePath(ALL, AT, NEXT)?.map(({ id }) => id)).toEqual(['rel_11.0.1', 'pat_11.0.5', 'rel_11.1.1']);
    expect(installProblem(ALL, AT, NEXT)).toBe(
      'rel_11.1.1 (11.1.1) cannot be installed over 10.9.1.10 directly. Install rel_11.0.1 (11.0.1), then pat_11.0.5 (11.0.5) first.',
    );
    expect(installProblem([NEXT], AT, NEXT)).toMatch(
      /It requires 11\.0\.5 or a later build of it, and no known version/,
    );
    expect(installProblem(ALL, NEXT, NEXT)).toMatch(/installed already/);
    expect(installProblem(ALL, NEXT, ELEVEN)).toMatch(/that is newer/);
    expect(installProblem(ALL, AT, ELEVEN)).toBeUndefined();
  });

  test('[UPG19] allows nothing over an unknown version', () => {
    expect(availableFrom(ALL, undefined)).toEqual([]);
    expect(installProblem(ALL, undefined, ELEVEN)).toMatch(/with adopt first/);
  });

  test('finds no path in a cycle of versions', () => {
    const back = version('rel_10.9.1.40', '11.0');
    expect(upgradePath([ELEVEN, back], AT, version('rel_12.0.1', '11.9'))).toBeUndefined();
  });
});

test('[ADR5] a version is shown with its build, and as a decimal number', () => {
  expect(versionName(AT)).toBe('10.9.1.10');
  expect(versionName(undefined)).toBe('unknown');
  expect(decimalVersion(AT)).toBe(10.91);
  expect(decimalVersion({ version: '11.0', build: '1' })).toBe(11);
});
