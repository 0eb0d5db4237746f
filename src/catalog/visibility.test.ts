import { expect, test } from 'vitest';
import { publishedService } from '../../test/support/catalog/publishedService.ts';
import { EMPTY_LISTING, applyChanges } from './listing.ts';
import { isVisible, visibleFolder, visibleFolders } from './visibility.ts';

const listing = applyChanges(EMPTY_LISTING, {
  revision: 1,
  isWhole: true,
  changedFolders: ['Empty', 'Private', 'Public', 'Stopped'].map((name) => ({ name, description: '', created: 0 })),
  removedFolders: [],
  changed: [
    publishedService({ folder: 'Private', name: 'a', access: 'private' }),
    publishedService({ folder: 'Public', name: 'a' }),
    publishedService({ folder: 'Stopped', name: 'a', state: 'stopped' }),
  ],
  removed: [],
});

test('a caller without a token sees running public services, one with a token sees all running services', () => {
  const services = listing.folders.flatMap(({ chunks }) => chunks.flat());
  const seen = (view: 'public' | 'all') =>
    services.filter((service) => isVisible(service, view)).map(({ folder }) => folder);
  expect(seen('public')).toEqual(['Public']);
  expect(seen('all')).toEqual(['Private', 'Public']);
});

test('a folder without a visible service is hidden, and an empty folder is not', () => {
  const names = (view: 'public' | 'all') => visibleFolders(listing, view).map(({ folder }) => folder.name);
  expect(names('public')).toEqual(['Empty', 'Public']);
  expect(names('all')).toEqual(['Empty', 'Private', 'Public']);
});

test('a hidden folder cannot be told from one that does not exist, and the root is never hidden', () => {
  expect(visibleFolder(listing, 'Private', 'public')).toBeUndefined();
  expect(visibleFolder(listing, 'None', 'public')).toBeUndefined();
  expect(visibleFolder(listing, '', 'public')).toBeDefined();
});
