import fc from 'fast-check';
import { expect, test } from 'vitest';
import { publishedService } from '../../test/support/catalog/publishedService.ts';
import type { CatalogChanges } from './catalogStore.ts';
import type { Service } from './service.ts';
import { EMPTY_LISTING, applyChanges, folderOf } from './listing.ts';

function service(folder: string, name: string, revision: number): Service {
  return publishedService({ folder, name, revision });
}

const NOTHING: CatalogChanges = {
  revision: 1,
  isWhole: false,
  changedFolders: [],
  removedFolders: [],
  changed: [],
  removed: [],
};
const folders = ['', 'A', 'B', 'ß'];
const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
const step = fc.record({
  put: fc.array(fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names)), { maxLength: 30 }),
  remove: fc.array(fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names)), { maxLength: 10 }),
});

test('after any changes, the listing has the same services as a plain map, sorted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const model = new Map<string, Service>();
      const start = {
        ...NOTHING,
        changedFolders: folders.slice(1).map((name) => ({ name, description: '', created: 0 })),
      };
      let listing = applyChanges(EMPTY_LISTING, start);
      for (const [n, { put, remove }] of steps.entries()) {
        const changed = [
          ...new Map(put.map(([folder, name]) => [`${folder}/${name}`, service(folder, name, n + 1)])).values(),
        ];
        const removed = remove.map(([folder, name]) => ({ folder, name, type: 'T' }));
        for (const { folder, name } of removed) model.delete(`${folder}/${name}`);
        for (const one of changed) model.set(`${one.folder}/${one.name}`, one);
        listing = applyChanges(listing, { ...NOTHING, revision: n + 2, changed, removed });
      }
      const listed = listing.folders.flatMap(({ chunks }) => chunks.flat());
      const order = ({ folder, name }: Service): string => `${folder}\u0000${name}`;
      expect(listed).toEqual([...model.values()].toSorted((a, b) => (order(a) < order(b) ? -1 : 1)));
      expect(listing.folders.every(({ chunks }) => chunks.every(({ length }) => length > 0 && length <= 256))).toBe(
        true,
      );
    }),
  );
});

test('a change of one service keeps all other chunks identical', () => {
  const many = Array.from({ length: 5000 }, (_, n) => service('', `s${String(n).padStart(5, '0')}`, 1));
  const before = applyChanges(EMPTY_LISTING, { ...NOTHING, changed: many });
  const after = applyChanges(before, { ...NOTHING, revision: 2, changed: [service('', 's02500x', 1)] });
  const [old, fresh] = [folderOf(before, '')?.chunks ?? [], folderOf(after, '')?.chunks ?? []];
  expect(fresh.flat()).toHaveLength(5001);
  expect(fresh.filter((chunk) => !old.includes(chunk)).length).toBeLessThanOrEqual(2);
});

test('a removed folder is not listed, and a folder that was created again is empty', () => {
  const folder = { name: 'F', description: 'one', created: 1 };
  const one = applyChanges(EMPTY_LISTING, { ...NOTHING, changedFolders: [folder], changed: [service('F', 'a', 1)] });
  const key = { folder: 'F', name: 'a', type: 'T' };
  const none = applyChanges(one, { ...NOTHING, removedFolders: ['F'], removed: [key] });
  expect(folderOf(none, 'F')).toBeUndefined();
  const again = applyChanges(one, {
    ...NOTHING,
    removedFolders: ['F'],
    removed: [key],
    changedFolders: [{ ...folder, description: 'two' }],
  });
  expect(folderOf(again, 'F')).toEqual({ folder: { ...folder, description: 'two' }, chunks: [] });
});
