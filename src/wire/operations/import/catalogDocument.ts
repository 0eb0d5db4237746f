// The file that import reads and export writes, as JSON or YAML: folders and services. Its texts obey the same rules as
// the form fields of createFolder and createService, so the schema takes its checks from their readers.
import { reasonOf } from '../../../foundation/errors.ts';
import { nearestName } from '../../../foundation/text/nearestName.ts';
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import { FILE_LIMITS, TOO_DEEP, sizeProblem } from '../../../foundation/schema/jsonText.ts';
import type { Problem, Schema } from '../../../foundation/schema/schema.ts';
import { firstProblems, noSuchField, problemsIn } from '../../../foundation/schema/schema.ts';
import type { CatalogFile } from '../../answers/catalogAnswers.ts';
import type { Entity, EntityValues } from '../../../model/entity/field.ts';
import { eachField, valuesOf } from '../../../model/entity/field.ts';
import { FOLDER, SERVICE } from '../../../model/entity/service.ts';
import { readerOf } from '../../fields/entityFields.ts';
import type { FieldReader, FieldResult } from '../../fields/fields.ts';
import { choice, invalid, invalidDocument, name, serviceType, valid } from '../../fields/fields.ts';
import { structureProblem } from '../../documents/jsonStructure.ts';
import { readYaml } from '../../documents/yaml.ts';

const MAX_PROBLEMS = 100;

interface EntryField<T> {
  /** Says what is wrong with a value. */
  check(given: unknown): string | undefined;
  valueFrom(given: unknown): T;
}

/** A text in an entry. `null` and the empty text mean absent, and a field without a default is required. */
function entryField<T>(reader: FieldReader<T>, defaultValue?: T): EntryField<T> {
  const read = (given: unknown): FieldResult<T> => {
    if (given === undefined || given === null || given === '')
      return defaultValue === undefined ? invalid('is required') : valid(defaultValue);
    return typeof given === 'string' ? reader.read(given) : invalid('must be a string');
  };
  return {
    check(given) {
      const result = read(given);
      return result.kind === 'invalid' ? result.problem : undefined;
    },
    valueFrom(given) {
      const result = read(given);
      if (result.kind === 'invalid') throw new Error(`an entry that was checked ${result.problem}`);
      return result.value;
    },
  };
}

/** The entries of the fields of an entity. A field without a default is required. */
function entryFields<E extends Entity>(fields: E): { readonly [K in keyof E]: EntryField<EntityValues<E>[K]> } {
  return eachField(fields, (field) => entryField(readerOf(field), field.default));
}

const FOLDER_ENTRY = {
  // A name that is reserved is refused where the folders that exist are known: one of them may have it.
  folderName: entryField(name),
  ...entryFields(FOLDER),
};

const SERVICE_ENTRY = {
  folderName: entryField(name, ''),
  serviceName: entryField(name),
  type: entryField(serviceType),
  ...entryFields(SERVICE),
  state: entryField(choice(['running', 'stopped']), 'running'),
};

/** A field that is not understood is refused, because its default would be written instead of it. */
function unknownFieldOf(fields: object): (key: string) => string {
  const known = Object.keys(fields);
  return (key) =>
    `${noSuchField(key)}; the nearest known field is ${nearestName(key, known)} (known: ${known.join(', ')})`;
}

function listOf(properties: NonNullable<Schema['properties']>): Schema {
  return {
    type: ['array', 'null'],
    rule: 'must be a list',
    items: { type: 'object', rule: 'must be an object', properties, unknownField: unknownFieldOf(properties) },
  };
}

const LISTS = { folders: listOf(FOLDER_ENTRY), services: listOf(SERVICE_ENTRY) };

const FILE_SCHEMA: Schema = {
  type: 'object',
  rule: 'must be an object',
  properties: LISTS,
  unknownField: unknownFieldOf(LISTS),
};

type EntryFields = Readonly<Record<string, { valueFrom(given: unknown): unknown }>>;
type EntryValues<F extends EntryFields> = { readonly [K in keyof F]: ReturnType<F[K]['valueFrom']> };

function entryValues<F extends EntryFields>(fields: F, entry: JsonObject): EntryValues<F> {
  const values: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) values[key] = fields[key]?.valueFrom(entry[key]);
  return values as EntryValues<F>;
}

function folderOf(entry: JsonObject) {
  const { folderName: folder, ...details } = entryValues(FOLDER_ENTRY, entry);
  return { name: folder, ...details };
}

function serviceOf(entry: JsonObject) {
  const { folderName: folder, serviceName, ...details } = entryValues(SERVICE_ENTRY, entry);
  return { folder, name: serviceName, ...details };
}

export type DocumentFolder = Readonly<ReturnType<typeof folderOf>>;
export type DocumentService = Readonly<ReturnType<typeof serviceOf>>;

/** The content of a file that import reads and export writes. */
export interface CatalogDocument {
  readonly folders: readonly DocumentFolder[];
  readonly services: readonly DocumentService[];
}

/** A text that begins with a bracket is JSON: it may be larger than YAML, and its errors are those of JSON. */
function parseText(given: string): FieldResult<unknown> {
  if (!/^\s*[{[]/.test(given)) return readYaml(given);
  const size = sizeProblem(given, FILE_LIMITS);
  if (size !== undefined && size !== TOO_DEEP) return invalid(size);
  const structure = structureProblem(given);
  if (structure !== undefined)
    return invalid(`${structure.field === '' ? '' : `${structure.field}: `}${structure.text}`);
  try {
    return valid(JSON.parse(given));
  } catch (error) {
    return invalid(`starts like JSON, but is not valid JSON: ${reasonOf(error)}`);
  }
}

/** An entry that is not an object also lacks its required fields. */
function linesOf({ path, text: problem, isInside }: Problem): readonly string[] {
  const [list, n, field] = path;
  if (n === undefined) return [`${['file', ...path].join('.')}: ${problem}`];
  const place = `${list}[${n}]`;
  if (field !== undefined) return [`${place}.${field}: ${problem}`];
  if (isInside) return [`${place}: ${problem}`];
  const missing = list === 'folders' ? ['folderName'] : ['serviceName', 'type'];
  return [`${place}: ${problem}`, ...missing.map((one) => `${place}.${one}: is required`)];
}

function entriesIn(file: unknown, list: 'folders' | 'services'): readonly JsonObject[] {
  const entries = valueAt(file, list);
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}

/** Reads a JSON or YAML file and names every problem with its place. */
export const catalogDocument: FieldReader<CatalogDocument> = {
  schema: { type: 'string', contentMediaType: 'application/json' },
  json: { type: 'object' },
  read(given) {
    const file = parseText(given);
    if (file.kind === 'invalid') return file;
    const problems = problemsIn(FILE_SCHEMA, file.value).flatMap(linesOf);
    if (problems.length > 0) return invalidDocument(firstProblems(problems, MAX_PROBLEMS));
    return valid({
      folders: entriesIn(file.value, 'folders').map(folderOf),
      services: entriesIn(file.value, 'services').map(serviceOf),
    });
  },
};

/** Returns the content of the file that export writes. */
export function toDocument(folders: readonly DocumentFolder[], services: readonly DocumentService[]): CatalogFile {
  return {
    folders: folders.map((folder) => ({ folderName: folder.name, ...valuesOf(FOLDER, folder) })),
    services: services.map((service) => {
      const { folder: folderName, name: serviceName, type, state } = service;
      return { folderName, serviceName, type, ...valuesOf(SERVICE, service), state };
    }),
  };
}
