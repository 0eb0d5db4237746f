import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../src/model/entity/field.ts';
import type { EntityField } from '../../src/model/entity/field.ts';
import { sqliteDialect } from '../../src/store/engine/dialect.ts';
import { migrations } from '../../src/store/engine/migrations.ts';
import { SCHEMA } from '../../src/store/engine/schema.ts';
import type { EntityPlaces } from '../support/entityPlaces.ts';
import { ENTITIES, consoleText } from '../support/entityPlaces.ts';

const TYPES: Readonly<Record<EntityField['kind'], string>> = {
  text: 'text',
  choice: 'text',
  integer: 'bigint',
  flag: 'bigint',
  eventTypes: 'text',
};

/** The object at a path of a shape; a list is entered. */
function objectAt(shape: object, [name, ...rest]: readonly string[]): object {
  const { items, properties = {} } = shape as { items?: object; properties?: Readonly<Record<string, object>> };
  if (items !== undefined) return objectAt(items, name === undefined ? [] : [name, ...rest]);
  return name === undefined ? shape : objectAt(properties[name] ?? {}, rest);
}

/** The default that a migration gives a column which it adds to a table; undefined if the table was made with it. */
function addedDefault(table: string, column: string): string | undefined {
  const added = new RegExp(`^alter table ${table} add column ${column} .*?(?:default '?(.*?)'?)?$`);
  for (const { statements } of migrations)
    for (const statement of statements(sqliteDialect)) {
      const found = added.exec(statement);
      if (found !== null) return found[1] ?? '';
    }
  return undefined;
}

/** Rows that are older than a column have its default, and new ones that of the field. */
function wrongDefault(table: string, column: string, value: unknown): readonly string[] {
  const added = addedDefault(table, column);
  const stored =
    typeof value === 'boolean' ? String(Number(value)) : Array.isArray(value) ? JSON.stringify(value) : value;
  if (added === undefined || value === undefined || added === String(stored)) return [];
  return [`the column ${table}.${column} has the default "${added}", and the field "${String(stored)}"`];
}

/** Names each place where a field of an entity is missing. */
function missingIn({ title, fields, operations, answer, table, form, page }: EntityPlaces): readonly string[] {
  const { properties = {} } = objectAt(answer.shape, answer.path) as { properties?: object };
  const usesTable = (path: string): boolean => {
    const [, constant = ''] = /import \{ (\w+) \} from '[./]*model\/entity\//.exec(consoleText(path)) ?? [];
    return constant !== '' && new RegExp(`\\b${constant}\\b`, 'g').test(consoleText(path).replace(/^import .*$/gm, ''));
  };
  const places = [form, ...(page === undefined ? [] : [page])].filter((path) => !usesTable(path));
  return [
    ...fieldsOf(fields).flatMap(([name, { column, kind, default: value }]) => [
      ...Object.keys(operations)
        .filter((operation) => operations[operation]?.[name] === undefined)
        .map((operation) => `${title}.${name} is no field of ${operation}`),
      ...(name in properties ? [] : [`${title}.${name} is not in the answer`]),
      ...(SCHEMA.some((line) => line === `${table}.${column} ${TYPES[kind]}`)
        ? []
        : [`${title}.${name}: the table ${table} has no column ${column} of the type ${TYPES[kind]}; add a migration`]),
      ...wrongDefault(table, column, value).map((problem) => `${title}.${name}: ${problem}`),
    ]),
    ...places.map((path) => `${title}: src/console/${path} does not follow from the table of its fields`),
  ];
}

describe('[C1] every field of an entity is read, answered, stored, and on the pages of the console', () => {
  test.each(ENTITIES)('$title', (places) => {
    expect(missingIn(places)).toEqual([]);
  });

  test('a column that was added with another default than its field is named', () => {
    expect(wrongDefault('job', 'phase', '')).toEqual([]);
    expect(wrongDefault('job', 'is_pausing', false)).toEqual([]);
    expect(wrongDefault('job', 'is_pausing', true)).toEqual([
      'the column job.is_pausing has the default "0", and the field "1"',
    ]);
  });

  test('a field that was forgotten is named with its place', () => {
    const [service] = ENTITIES;
    if (service === undefined) throw new Error('There are entities.');
    const colour: EntityField = { kind: 'integer', min: 1, max: 9, column: 'colour', label: 'Colour', help: 'x' };
    expect(missingIn({ ...service, fields: { ...service.fields, colour }, form: 'catalog/answers.ts' })).toEqual([
      'service.colour is no field of createService',
      'service.colour is no field of edit',
      'service.colour is not in the answer',
      'service.colour: the table service has no column colour of the type bigint; add a migration',
      'service: src/console/catalog/answers.ts does not follow from the table of its fields',
    ]);
  });
});

describe('[C1] the fields of an entity', () => {
  const all = ENTITIES.flatMap(({ title, fields }) =>
    fieldsOf(fields).map(([name, field]) => ({ title, name, field })),
  );

  test.each(all)('$title.$name is described in sentences', ({ field }) => {
    const sentences = [field.help, field.about ?? '', field.formHelp ?? ''].filter((one) => one !== '');
    expect(sentences.filter((one) => !one.endsWith('.'))).toEqual([]);
    expect(field.label).toMatch(/^[A-Z]/);
  });
});
