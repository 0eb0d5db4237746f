// The catalog: folders, services, export and import, read-only mode.
import type { Row } from '../player.ts';

const BOOKS = { folderName: 'Ledger', serviceName: 'Books', type: 'Report' };

const IMPORTED = `folders:
  - folderName: Imported
    description: from YAML
services:
  - folderName: Imported
    serviceName: Rates
    type: Query
    access: public
    capabilities: Read
`;

export const CATALOG_ROWS: readonly Row[] = [
  ['POST services/createFolder', { folderName: 'Ledger', description: 'Books & "more"' }],
  ['POST services/createFolder', { folderName: 'Ledger' }],
  ['POST services/createFolder', { folderName: 'webhooks' }],
  ['POST services/createFolder', { folderName: 'Spare' }, { form: 'json' }],
  ['POST services/deleteFolder', { folderName: 'Spare' }],
  ['POST services/deleteFolder', { folderName: 'Finance' }],
  [
    'POST services/createService',
    { ...BOOKS, description: 'All <books>', capabilities: 'Read,Search', parentType: 'Shelf', access: 'private' },
  ],
  ['POST services/createService', BOOKS],
  [
    'POST services/createService',
    { serviceName: 'Open', type: 'Map', access: 'public', url: 'https://x.example/o?a=1&b=2' },
    { form: 'json' },
  ],
  ['POST services/createService', { serviceName: 'Ünï', type: 'Map', description: 'über ☃' }, { form: 'multipart' }],
  ['POST services/createService', { ...BOOKS, folderName: 'Nowhere' }],
  ['GET services/{service=root}', { f: 'pjson' }],
  ['POST services/{service}/edit', { description: 'Changed', access: 'public' }],
  ['POST services/{service}/edit', { capabilities: '', parentType: '', ifRevision: 2 }, { form: 'json' }],
  ['POST services/{service}/edit', { description: 'late', ifRevision: '1' }],
  ['POST services/{service}/edit'],
  ['POST services/{service}/stop'],
  ['GET services/{service}/status'],
  ['POST services/{service}/stop'],
  ['POST services/{service}/start'],
  ['GET services/{service}/changes', { num: '2' }],
  ['GET services', { f: 'json' }, { as: 'viewer' }],
  ['GET services/{service=folder}'],
  ['GET services/export', {}, { keep: { catalog: '*' } }],
  ['POST services/import', { dryRun: 'true' }, { files: { importFile: 'catalog' } }],
  ['POST services/import', { importFile: IMPORTED, dryRun: 'true' }],
  ['POST services/import', { importFile: IMPORTED }],
  ['POST services/import', { importFile: '{"folders":[{"folderName":"A","colour":"red"}],"services":[{}]}' }],
  ['POST services/{service=root}/delete'],
  ['POST services/{service=root}/delete'],
  ['POST /compat/admin/services/createFolder', { folderName: 'Compat', colour: 'ignored' }],
  ['POST /compat/admin/services/createService', { folderName: 'Compat', serviceName: 'Old', type: 'Map' }],
  ['POST /compat/admin/services/createService', { folderName: 'Compat', serviceName: 'Old', type: 'Map' }],
  ['POST /compat/admin/services/{service}/edit', { description: 'by compat' }],
];

export const MODE_ROWS: readonly Row[] = [
  ['GET mode'],
  ['POST mode', { isReadOnly: 'true', message: 'Closed for a moment.' }],
  ['POST services/createFolder', { folderName: 'Closed' }],
  ['POST /compat/admin/services/createFolder', { folderName: 'Closed' }],
  ['POST mode', { isReadOnly: false, message: '' }, { form: 'json' }],
  ['POST /compat/admin/mode', { isReadOnly: 'False' }],
];
