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
import { done, record, table } from '../views.ts';

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
  {
    words: 'catalog ls',
    operation: root,
    summary: 'Lists folders and services of the root or of a folder.',
    arguments: ['folder'],
    optional: ['folder'],
    flags: [{ flag: '--all', description: 'the services of all folders' }],
    example: 'catalog ls --all',
    view: LISTED,
    run: list,
  },
  { words: 'catalog show', operation: item, example: 'catalog show reports/Sales.Report', view: record() },
  {
    words: 'catalog publish',
    operation: createService,
    arguments: ['service'],
    omit: ['folderName', 'serviceName', 'type'],
    prepare: publishFields,
    example: 'catalog publish reports/Sales.Report --access public --description "Sales by month"',
    view: service,
  },
  {
    words: 'catalog edit',
    operation: edit,
    example: 'catalog edit reports/Sales.Report --access private',
    view: service,
  },
  {
    words: 'catalog start',
    operation: start,
    example: 'catalog start reports/Sales.Report',
    view: done('It is {state}.'),
  },
  {
    words: 'catalog stop',
    operation: stop,
    example: 'catalog stop reports/Sales.Report',
    view: done('It is {state}.'),
  },
  {
    words: 'catalog status',
    operation: status,
    example: 'catalog status reports/Sales.Report',
    view: { kind: 'text', id: 'state', text: (answer) => `${textAt(answer, 'state')}\n` },
  },
  {
    words: 'catalog rm',
    operation: catalogOperations.delete,
    asks: 'Delete the service {service}? Its webhooks remain: they receive the event about that, and what is pending is still sent.',
    example: 'catalog rm reports/Sales.Report',
    view: done('Deleted.'),
  },
  {
    words: 'catalog changes',
    operation: changes,
    example: 'catalog changes reports/Sales.Report',
    view: table('changes', 'id', ['id', 'when', 'who', 'action'], 'The service has no recorded change.'),
  },
  {
    words: 'catalog import',
    operation: catalogOperations.import,
    summary:
      'create the missing folders and services of a file, and change those that differ. All changes are applied, or none',
    arguments: ['importFile'],
    documents: ['importFile'],
    example: 'catalog import services.yaml --dry-run',
    view: record(),
  },
  {
    words: 'catalog export',
    operation: catalogOperations.export,
    flags: [{ flag: '--output <file>', description: 'the file to write; default: standard output' }],
    example: 'catalog export --output services.json',
    view: record(),
    run: exportCatalog,
  },
  {
    words: 'catalog wsdl',
    operation: root,
    summary: 'Prints the description of the SOAP interface.',
    example: 'catalog wsdl > catalog.wsdl',
    view: record(),
    run: wsdl,
  },
  {
    words: 'catalog create-folder',
    operation: createFolder,
    arguments: ['folderName'],
    example: 'catalog create-folder reports',
    view: done('Created the folder {folderName}.', 'folderName'),
  },
  {
    words: 'catalog rm-folder',
    operation: deleteFolder,
    arguments: ['folderName'],
    asks: 'Delete the folder {folderName}?',
    example: 'catalog rm-folder reports',
    view: done('Deleted.'),
  },
];
