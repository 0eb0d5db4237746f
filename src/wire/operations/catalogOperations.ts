// The operations on folders and services of the catalog.
import * as answers from '../answers/catalogAnswers.ts';
import { SUCCESS } from '../answers/commonAnswers.ts';
import { catalogDocument } from './import/catalogDocument.ts';
import { FOLDER, SERVICE } from '../../model/entity/service.ts';
import { createFields, editFields } from '../fields/entityFields.ts';
import { boolean, integer, name, nameOtherThan, required, optional, serviceType } from '../fields/fields.ts';
import type { Operation } from './operations.ts';
import { operation, operations, resource } from './operations.ts';
import { deliveryOperations, serviceWebhookOperations } from './webhookOperations.ts';

/** The part of an address that follows /services, or /services/{service}. */
const NAME_OF_OPERATION = /^\/services(?:\/\{service\})?\/(\w+)/;

/**
 * Returns the names that no new folder may have: those of all operations below {root}/services. A folder that an earlier version has
 * created may have the name of a later operation; its addresses still lead to it, because only the names of `/services/<name>` hide one.
 */
export function reservedFolders(): readonly string[] {
  const tables = [catalogOperations, deliveryOperations, serviceWebhookOperations];
  const paths = tables.flatMap((table) => Object.values<Operation>(table)).map(({ path }) => path);
  return [...new Set(paths.flatMap((path) => NAME_OF_OPERATION.exec(path)?.[1] ?? []))];
}

export const catalogOperations = operations({
  root: {
    ...resource('viewer', 'never', answers.CATALOG_ROOT),
    path: '/services',
    description: 'Lists the folders, and the services in the root.',
  },
  createFolder: {
    ...operation('publisher', 'readOnly', answers.CREATED_FOLDER),
    path: '/services/createFolder',
    fillsDisk: true,
    description: 'Creates a folder for services.',
    fields: {
      folderName: required(nameOtherThan(reservedFolders), 'The name of the folder.'),
      ...createFields(FOLDER),
    },
  },
  deleteFolder: {
    ...operation('publisher', 'readOnly', SUCCESS),
    path: '/services/deleteFolder',
    description: 'Deletes an empty folder.',
    fields: { folderName: required(name, 'The name of the folder.') },
  },
  createService: {
    ...operation('publisher', 'readOnly', answers.CHANGED_SERVICE),
    path: '/services/createService',
    fillsDisk: true,
    description: 'Publishes a service. It is listed at once.',
    fields: {
      folderName: optional(name, 'The folder of the service. Default: the root.'),
      serviceName: required(name, 'The name of the service.'),
      type: required(serviceType, 'The type of the service, such as Report.'),
      ...createFields(SERVICE),
    },
  },
  import: {
    ...operation('publisher', 'readOnly', answers.IMPORT_COUNTS),
    path: '/services/import',
    fillsDisk: true,
    description:
      'Creates the missing folders and services of a file and changes those that differ. Applies all changes or none.',
    fields: {
      importFile: required(catalogDocument, 'A JSON or YAML file, as export returns it.'),
      dryRun: optional(boolean, 'If true, only checks and counts, and changes nothing.'),
    },
  },
  export: {
    ...resource('viewer', 'never', answers.CATALOG_FILE),
    path: '/services/export',
    description: 'Returns all folders and services, in the format of import.',
  },
  item: {
    ...resource('viewer', 'never', answers.SERVICE_OR_FOLDER),
    path: '/services/{service}',
    description: 'Returns one service, or one folder with its services.',
  },
  status: {
    ...resource('viewer', 'never', answers.SERVICE_STATE),
    path: '/services/{service}/status',
    description: 'Returns whether the service is running or stopped.',
  },
  changes: {
    ...resource('publisher', 'never', answers.SERVICE_CHANGES),
    path: '/services/{service}/changes',
    description: 'Lists the changes of the service, newest first: who changed what, and when.',
    fields: {
      before: optional(integer(1, Number.MAX_SAFE_INTEGER), 'Only changes older than the one with this id.'),
      num: optional(integer(1, 1000), 'The maximum number of results. Default 100.'),
    },
  },
  edit: {
    ...operation('publisher', 'readOnly', answers.CHANGED_SERVICE),
    path: '/services/{service}/edit',
    description: 'Changes the fields that are sent. The others stay as they are.',
    fields: {
      ...editFields(SERVICE),
      ifRevision: optional(integer(1, Number.MAX_SAFE_INTEGER), 'Return 409 if the service has another revision.'),
    },
  },
  delete: {
    ...operation('publisher', 'readOnly', SUCCESS),
    path: '/services/{service}/delete',
    description: 'Deletes the service.',
  },
  start: {
    ...operation('publisher', 'readOnly', answers.CHANGED_STATE),
    path: '/services/{service}/start',
    description: 'Lists the service in the catalog again.',
  },
  stop: {
    ...operation('publisher', 'readOnly', answers.CHANGED_STATE),
    path: '/services/{service}/stop',
    description: 'Takes the service out of the catalog without deleting it.',
  },
});
