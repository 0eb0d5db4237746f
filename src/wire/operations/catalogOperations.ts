// The operations on folders and services of the catalog.
import {
  CATALOG_FILE,
  CATALOG_ROOT,
  CHANGED_SERVICE,
  CHANGED_STATE,
  CREATED_FOLDER,
  IMPORT_COUNTS,
  SERVICE_CHANGES,
  SERVICE_OR_FOLDER,
  SERVICE_STATE,
} from '../answers/catalogAnswers.ts';
import { SUCCESS } from '../answers/commonAnswers.ts';
import { catalogDocument } from './import/catalogDocument.ts';
import { FOLDER, SERVICE } from '../../model/entity/service.ts';
import { createFields, editFields } from '../fields/entityFields.ts';
import { boolean, integer, name, nameOtherThan, required, optional, serviceType } from '../fields/fields.ts';
import type { Operation } from './operations.ts';
import { operations } from './operations.ts';
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
    kind: 'resource',
    answer: CATALOG_ROOT,
    path: '/services',
    role: 'viewer',
    closedWhen: 'never',
    description: 'Lists the folders, and the services in the root.',
    fields: {},
  },
  createFolder: {
    kind: 'operation',
    answer: CREATED_FOLDER,
    path: '/services/createFolder',
    role: 'publisher',
    closedWhen: 'readOnly',
    fillsDisk: true,
    description: 'Creates a folder for services.',
    fields: {
      folderName: required(nameOtherThan(reservedFolders), 'The name of the folder.'),
      ...createFields(FOLDER),
    },
  },
  deleteFolder: {
    kind: 'operation',
    answer: SUCCESS,
    path: '/services/deleteFolder',
    role: 'publisher',
    closedWhen: 'readOnly',
    description: 'Deletes an empty folder.',
    fields: { folderName: required(name, 'The name of the folder.') },
  },
  createService: {
    kind: 'operation',
    answer: CHANGED_SERVICE,
    path: '/services/createService',
    role: 'publisher',
    closedWhen: 'readOnly',
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
    kind: 'operation',
    answer: IMPORT_COUNTS,
    path: '/services/import',
    role: 'publisher',
    closedWhen: 'readOnly',
    fillsDisk: true,
    description:
      'Creates the missing folders and services of a file and changes those that differ. Applies all changes or none.',
    fields: {
      importFile: required(catalogDocument, 'A JSON or YAML file, as export returns it.'),
      dryRun: optional(boolean, 'If true, only checks and counts, and changes nothing.'),
    },
  },
  export: {
    kind: 'resource',
    answer: CATALOG_FILE,
    path: '/services/export',
    role: 'viewer',
    closedWhen: 'never',
    description: 'Returns all folders and services, in the format of import.',
    fields: {},
  },
  item: {
    kind: 'resource',
    answer: SERVICE_OR_FOLDER,
    path: '/services/{service}',
    role: 'viewer',
    closedWhen: 'never',
    description: 'Returns one service, or one folder with its services.',
    fields: {},
  },
  status: {
    kind: 'resource',
    answer: SERVICE_STATE,
    path: '/services/{service}/status',
    role: 'viewer',
    closedWhen: 'never',
    description: 'Returns whether the service is running or stopped.',
    fields: {},
  },
  changes: {
    kind: 'resource',
    answer: SERVICE_CHANGES,
    path: '/services/{service}/changes',
    role: 'publisher',
    closedWhen: 'never',
    description: 'Lists the changes of the service, newest first: who changed what, and when.',
    fields: {
      before: optional(integer(1, Number.MAX_SAFE_INTEGER), 'Only changes older than the one with this id.'),
      num: optional(integer(1, 1000), 'The maximum number of results. Default 100.'),
    },
  },
  edit: {
    kind: 'operation',
    answer: CHANGED_SERVICE,
    path: '/services/{service}/edit',
    role: 'publisher',
    closedWhen: 'readOnly',
    description: 'Changes the fields that are sent. The others stay as they are.',
    fields: {
      ...editFields(SERVICE),
      ifRevision: optional(integer(1, Number.MAX_SAFE_INTEGER), 'Return 409 if the service has another revision.'),
    },
  },
  delete: {
    kind: 'operation',
    answer: SUCCESS,
    path: '/services/{service}/delete',
    role: 'publisher',
    closedWhen: 'readOnly',
    description: 'Deletes the service.',
    fields: {},
  },
  start: {
    kind: 'operation',
    answer: CHANGED_STATE,
    path: '/services/{service}/start',
    role: 'publisher',
    closedWhen: 'readOnly',
    description: 'Lists the service in the catalog again.',
    fields: {},
  },
  stop: {
    kind: 'operation',
    answer: CHANGED_STATE,
    path: '/services/{service}/stop',
    role: 'publisher',
    closedWhen: 'readOnly',
    description: 'Takes the service out of the catalog without deleting it.',
    fields: {},
  },
});
