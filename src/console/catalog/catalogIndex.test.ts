import { expect, test } from 'vitest';
import { newValues } from '../../model/entity/field.ts';
import { SERVICE } from '../../model/entity/service.ts';
import type { ListedService } from './answers.ts';
import { ROOT, countByFolder, inFolder, indexOf, matching } from './catalogIndex.ts';

function service(folderName: string, serviceName: string, more: Partial<ListedService> = {}): ListedService {
  const details = newValues(SERVICE, { access: 'public' });
  return { folderName, serviceName, type: 'Query', ...details, state: 'running', ...more };
}

const catalog = indexOf({
  folders: [
    { folderName: 'Sales', description: '' },
    { folderName: 'Finance', description: '' },
  ],
  services: [
    service('', 'Overview', { type: 'Map' }),
    service('Finance', 'Invoices', { description: 'Of the last two years', access: 'private' }),
    service('Finance', 'Rates', { state: 'stopped' }),
  ],
});

function labels(search: string): readonly string[] {
  return matching(catalog.services, search).map(({ label }) => label);
}

test('folders and types are sorted', () => {
  expect(catalog.folders.map(({ folderName }) => folderName)).toEqual(['Finance', 'Sales']);
  expect(catalog.types).toEqual(['Map', 'Query']);
});

test.each([
  ['', ['Overview.Map', 'Finance/Invoices.Query', 'Finance/Rates.Query']],
  ['  INV ', ['Finance/Invoices.Query']],
  ['finance stopped', ['Finance/Rates.Query']],
  ['years private', ['Finance/Invoices.Query']],
  ['finance map', []],
])('the search %j finds %j', (search, found) => {
  expect(labels(search)).toEqual(found);
});

test('the root is a folder for counts and filters', () => {
  expect(Object.fromEntries(countByFolder(catalog.services))).toEqual({ [ROOT]: 1, Finance: 2 });
  expect(inFolder(catalog.services, ROOT)).toHaveLength(1);
  expect(inFolder(catalog.services, '')).toHaveLength(3);
  expect(inFolder(catalog.services, 'Sales')).toEqual([]);
});
