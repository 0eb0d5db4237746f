/** Bodies of the answers about folders and services. */
import type { ShapeType } from '../../foundation/schema/shape.ts';
import {
  anything,
  choice,
  either,
  integer,
  list,
  object,
  optional,
  text,
  time,
} from '../../foundation/schema/shape.ts';
import { FOLDER as FOLDER_FIELDS, SERVICE as SERVICE_FIELDS } from '../../model/entity/service.ts';
import { namedObject, success } from './commonAnswers.ts';
import { answerFields } from '../fields/entityShape.ts';

const STATE = choice(['running', 'stopped'], 'The catalog lists running services.');
const FOLDER_NAME = text('Empty for the root.');

const DETAILS = { ...answerFields(SERVICE_FIELDS), state: STATE };

const SERVICE = namedObject('Service', {
  folderName: FOLDER_NAME,
  serviceName: text(),
  type: text(),
  ...DETAILS,
  owner: text(),
  created: time('When it was published.'),
  modified: time('When it was last changed.'),
  revision: integer('Counts the changes. An edit can name it in ifRevision.'),
});
export type ServiceAnswer = ShapeType<typeof SERVICE>;

const LISTED_SERVICE = namedObject('ListedService', {
  serviceName: text(),
  type: text(),
  state: STATE,
  access: DETAILS.access,
});

const FOLDER_DETAILS = { folderName: text(), ...answerFields(FOLDER_FIELDS) };
const LISTED_FOLDER = object(FOLDER_DETAILS);

const FOLDER = namedObject('Folder', { ...FOLDER_DETAILS, services: list(LISTED_SERVICE) });

export const CATALOG_ROOT = object({
  folderName: choice(['/']),
  folders: list(LISTED_FOLDER),
  services: list(LISTED_SERVICE, 'The services of the root.'),
});

export const SERVICE_OR_FOLDER = either(SERVICE, FOLDER);
export const CHANGED_SERVICE = success({ service: SERVICE });
export const CREATED_FOLDER = success({ folderName: text() });

export const IMPORT_COUNTS = success({
  foldersCreated: integer(),
  servicesCreated: integer(),
  servicesChanged: integer(),
  servicesUnchanged: integer(),
});

export const CATALOG_FILE = namedObject('CatalogFile', {
  folders: list(LISTED_FOLDER),
  services: list(object({ folderName: FOLDER_NAME, serviceName: text(), type: text(), ...DETAILS })),
});
export type CatalogFile = ShapeType<typeof CATALOG_FILE>;

export const SERVICE_CHANGES = object({
  changes: list(
    object({
      id: integer(),
      when: time('When it was done.'),
      who: text(),
      action: text(),
      before: optional(anything('The service before. Absent if it was created.')),
      after: optional(anything('The service after. Absent if it was deleted.')),
    }),
  ),
});

export const SERVICE_STATE = object({ state: STATE });
export const CHANGED_STATE = success({ state: STATE });
