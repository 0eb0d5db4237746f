import { writeFileSync } from 'node:fs';
import { isObject } from '../../../foundation/schema/json.ts';
import { catalogOperations } from '../../../wire/operations/catalogOperations.ts';
import type { FormFields } from '../../remote/connection.ts';
import type { Exit } from '../../remote/exitCodes.ts';
import { CommandFailure } from '../../remote/exitCodes.ts';
import { callOperation } from '../../remote/typedCall.ts';
import { listOf } from '../../output/output.ts';
import { textAt } from '../../output/values.ts';
import type { CommandRun, Given, RemoteCommand } from '../remoteCommand.ts';
import { pathPart } from '../remoteCommand.ts';
import { command, done, record, table } from '../views.ts';

const { root, createFolder, deleteFolder, createService, item, status, changes, edit, start, stop } = catalogOperations;

/** Splits folder/name.type. The last dot separates the type, because a type has none. */
function publishFields({ extra, fields }: Given): FormFields {
  const label = String(extra['service'] ?? '');
  const parts = /^(?:([^/]+)\/)?([^/]+)\.([^./]+)$/.exec(label);
  if (parts === null)
    throw new CommandFailure('usage', `<service> must be name.type or folder/name.type, not "${label}".`);
  const [, folderName, serviceName = '', type = ''] = parts;
  return { ...fields, ...(folderName !== undefined && { folderName }), serviceName, type };
}

/** The services of a folder, of the root with its folders, or of all folders. */
function listedRows(answer: unknown) {
  const own = textAt(answer, 'folderName').replace('/', '');
  const folders = listOf(answer, 'folders').filter(isObject);
  return [
    ...folders.map((one) => ({ ...one, service: `${textAt(one, 'folderName')}/`, state: 'folder', access: '' })),
    ...listOf(answer, 'services')
      .filter(isObject)
      .map((one) => {
        const folder = textAt(one, 'folderName') || own;
        const name = `${textAt(one, 'serviceName')}.${textAt(one, 'type')}`;
        const label = folder === '' ? name : `${folder}/${name}`;
        return { ...one, label, service: label };
      }),
  ];
}

const LISTED = table(
  'services',
  'label',
  ['service', 'state', 'access'],
  'There is no service. Publish one with steward catalog publish.',
  { rows: listedRows, whole: ['service'] },
);

async function list({ given, connection, print, call }: CommandRun): Promise<Exit> {
  const { folder, all } = given.extra;
  const read = (): Promise<unknown> => {
    if (typeof folder === 'string')
      return callOperation(connection, item, { names: { service: [pathPart('folder', folder)] } });
    return all === true ? callOperation(connection, catalogOperations.export, {}) : call();
  };
  print(LISTED, await read(), root.answer);
  return 'done';
}

async function exportCatalog({ given, call, flags, streams }: CommandRun): Promise<Exit> {
  const text = `${JSON.stringify(await call(), null, 2)}\n`;
  const { output } = given.extra;
  if (typeof output !== 'string') {
    streams.print(text);
    return 'done';
  }
  writeFileSync(output, text);
  if (flags.quiet !== true) streams.printError(`Wrote ${output}.\n`);
  return 'done';
}

/** The description is at an address outside {root}. */
async function wsdl({ connection, streams, flags }: CommandRun): Promise<Exit> {
  const bytes = await connection.download({
    method: 'GET',
    fields: {},
    outside: '/services?wsdl',
  });
  if (flags.json === true) streams.print(`${JSON.stringify({ wsdl: Buffer.from(bytes).toString() }, null, 2)}\n`);
  else await streams.printBytes(bytes);
  return 'done';
}

const service = record('service', undefined);

export const CATALOG_COMMANDS: readonly RemoteCommand[] = [
  command('catalog ls', '--all', root, {
    summary: 'Lists folders and services of the root or of a folder.',
    arguments: ['folder'],
    optional: ['folder'],
    flags: [{ flag: '--all', description: 'the services of all folders' }],
    run: list,
    view: LISTED,
  }),
  command('catalog show', 'reports/Sales.Report', item),
  command('catalog publish', 'reports/Sales.Report --access public --description "Sales by month"', createService, {
    arguments: ['service'],
    omit: ['folderName', 'serviceName', 'type'],
    prepare: publishFields,
    view: service,
  }),
  command('catalog edit', 'reports/Sales.Report --access private', edit, { view: service }),
  command('catalog start', 'reports/Sales.Report', start, { view: done('It is {state}.') }),
  command('catalog stop', 'reports/Sales.Report', stop, { view: done('It is {state}.') }),
  command('catalog status', 'reports/Sales.Report', status, {
    view: { kind: 'text', id: 'state', text: (answer) => `${textAt(answer, 'state')}\n` },
  }),
  command('catalog rm', 'reports/Sales.Report', catalogOperations.delete, {
    asks: 'Delete the service {service}? Its webhooks remain: they receive the event about that, and what is pending is still sent.',
    view: done('Deleted.'),
  }),
  command('catalog changes', 'reports/Sales.Report', changes, {
    view: table('changes', 'id', ['id', 'when', 'who', 'action'], 'The service has no recorded change.'),
  }),
  command('catalog import', 'services.yaml --dry-run', catalogOperations.import, {
    summary:
      'create the missing folders and services of a file, and change those that differ. All changes are applied, or none',
    arguments: ['importFile'],
    documents: ['importFile'],
  }),
  command('catalog export', '--output services.json', catalogOperations.export, {
    flags: [{ flag: '--output <file>', description: 'the file to write; default: standard output' }],
    run: exportCatalog,
  }),
  command('catalog wsdl', '> catalog.wsdl', root, {
    summary: 'Prints the description of the SOAP interface.',
    run: wsdl,
  }),
  command('catalog create-folder', 'reports', createFolder, {
    arguments: ['folderName'],
    view: done('Created the folder {folderName}.', 'folderName'),
  }),
  command('catalog rm-folder', 'reports', deleteFolder, {
    arguments: ['folderName'],
    asks: 'Delete the folder {folderName}?',
    view: done('Deleted.'),
  }),
];
