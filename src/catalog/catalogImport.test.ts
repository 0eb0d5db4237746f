import { expect, test } from 'vitest';
import { publishedService } from '../../test/support/catalog/publishedService.ts';
import { localActor } from '../model/actor.ts';
import type { ImportedCatalog, ImportedService } from './catalogImport.ts';
import { planImport } from './catalogImport.ts';

const by = localActor('tester');
const EMPTY = { folders: [], services: [] };
const FOLDER = { name: 'F', description: '' };

function imported(fields: Partial<ImportedService> & Pick<ImportedService, 'name'>): ImportedService {
  const { owner: _o, created: _c, modified: _m, revision: _r, ...service } = publishedService(fields);
  return service;
}

test('an import creates what is missing, changes what differs, and counts what is unchanged', () => {
  const present = {
    folders: [],
    services: [publishedService({ name: 'same' }), publishedService({ name: 'other', revision: 4 })],
  };
  const services = [
    imported({ name: 'same' }),
    imported({ name: 'other', description: 'new' }),
    imported({ folder: 'F', name: 'fresh' }),
  ];
  const { counts, decision } = planImport(present, { folders: [FOLDER], services }, by, 1000);
  expect(counts).toEqual({ foldersCreated: 1, servicesCreated: 1, servicesChanged: 1, servicesUnchanged: 1 });
  expect(decision.change.services).toMatchObject([
    { name: 'other', description: 'new', revision: 5, modified: 1000 },
    { name: 'fresh', owner: 'tester', revision: 1, created: 1000 },
  ]);
  expect(decision.announce.map(({ type }) => type)).toEqual(['service.changed', 'service.created']);
  expect(decision.audit.map(({ action }) => action)).toEqual(['folder.create', 'service.edit', 'service.create']);
});

test.each<[string, ImportedCatalog]>([
  ['folders: F is listed twice', { folders: [FOLDER, FOLDER], services: [] }],
  ['services: a.T is listed twice', { folders: [], services: [imported({ name: 'a' }), imported({ name: 'a' })] }],
  [
    'services: G/a.T is in a folder that is neither in the catalog nor in the file',
    { folders: [], services: [imported({ folder: 'G', name: 'a' })] },
  ],
  [
    'services: a.T would have the same address as a folder',
    { folders: [{ name: 'a.T', description: '' }], services: [imported({ name: 'a' })] },
  ],
])('an import is refused with the detail "%s"', (detail, catalog) => {
  expect(() => planImport(EMPTY, catalog, by, 0)).toThrow(
    expect.objectContaining({ code: 'invalid', details: [detail] }),
  );
});
