import type { Version } from '../../../src/model/version.ts';

/** Makes a version without containers; `more` is what a test is about. */
export function testVersion(id: string, more: Partial<Version> = {}): Version {
  return {
    id,
    name: id,
    description: '',
    update: id.startsWith('pat') ? 'patch' : 'release',
    version: '11.0',
    build: '1',
    previousVersion: '10.9.1',
    previousBuild: '',
    released: 0,
    releaseNotes: '',
    newLicensesRequired: false,
    containers: [],
    ...more,
  };
}
