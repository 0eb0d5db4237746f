import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeInWords } from './problemPlace.ts';
import type { Schema } from './schema.ts';
import { firstProblems, noSuchField, parse, problems, problemsIn } from './schema.ts';
import { textSchema } from './text.ts';

const PARCEL = {
  type: 'object',
  rule: 'must be an object',
  required: ['id', 'weight'],
  properties: {
    id: { type: 'string', pattern: /^[a-z]{1,9}$/, rule: 'must be 1 to 9 letters' },
    weight: { type: 'integer', minimum: 1, rule: (value) => `must be a weight, not ${JSON.stringify(value)}` },
    limit: {
      type: 'integer',
      rule: 'must be a whole number',
      check: (value, { weight }) =>
        typeof value === 'number' && Number.isInteger(weight) && value < Number(weight)
          ? 'must not be below weight'
          : undefined,
    },
    note: textSchema(5),
  },
  unknownField: noSuchField,
} as const satisfies Schema;

const DEPOT = {
  type: 'object',
  rule: 'must be an object',
  required: ['parcels'],
  properties: {
    parcels: {
      type: 'array',
      maxItems: 3,
      items: PARCEL,
      distinct: { key: 'id', noun: 'parcel', label: /^[a-z]+$/ },
      rule: 'must be an array of 0 to 3 objects',
    },
    hours: {
      type: ['object', 'null'],
      rule: 'must be an object, or be left out',
      properties: {
        from: { type: 'integer', rule: 'must be an hour' },
        to: { type: 'integer', rule: 'must be an hour' },
      },
      whole: ({ from, to }) => (Number(from) < Number(to) ? undefined : 'must end after they begin'),
      unknownField: noSuchField,
    },
    days: { type: 'array', items: { enum: ['Mo', 'Tu'] }, uniqueItems: true, rule: 'must be an array of days' },
  },
} as const satisfies Schema;

function problemsOf(depot: unknown): readonly string[] {
  return problems(DEPOT, depot, placeInWords(DEPOT));
}

describe('the problems of a document', () => {
  test('a document that fits has none, and is returned with its type', () => {
    const depot = { parcels: [{ id: 'a', weight: 1, limit: 2, note: 'x' }], hours: null, days: ['Mo'], other: 1 };
    const read = parse(DEPOT, depot, placeInWords(DEPOT));
    expect(read).toEqual({ kind: 'valid', value: depot });
    expect(read.kind === 'valid' && read.value.parcels[0]?.limit).toBe(2);
  });

  test('each problem is named with its place, in the order of the schema', () => {
    const parcels = [
      { weight: 0, limit: 'x', note: 'too long', id: 'a', extra: 1 },
      7,
      { id: 'a', weight: 3, limit: 2 },
    ];
    expect(problemsOf({ days: ['Fr'], hours: 5, parcels })).toEqual([
      'parcel 1 (a): weight must be a weight, not 0',
      'parcel 1 (a): limit must be a whole number',
      'parcel 1 (a): note must have at most 5 characters, not 8',
      'parcel 1 (a): unknown field `extra`',
      'parcel 2: must be an object',
      'parcel 3 (a): limit must not be below weight',
      'parcel 3 (a): id is the same as that of parcel 1',
      'hours must be an object, or be left out',
      'days must be an array of days',
    ]);
  });

  test('a missing required field has the problem of its rule', () => {
    expect(problemsOf({})).toEqual(['parcels must be an array of 0 to 3 objects']);
    expect(problemsOf({ parcels: [{ weight: 1 }] })).toEqual(['parcel 1: id must be 1 to 9 letters']);
  });

  test('a list that is too long has one problem, and its items are not visited', () => {
    expect(problemsOf({ parcels: Array.from({ length: 4 }, () => 7) })).toEqual([
      'parcels must be an array of 0 to 3 objects',
    ]);
  });

  test('the rule of an object as a whole is checked if its fields fit', () => {
    expect(problemsOf({ parcels: [], hours: { from: 9, to: 8 } })).toEqual(['hours: must end after they begin']);
    expect(problemsOf({ parcels: [], hours: { from: 'x', to: 8 } })).toEqual(['hours: from must be an hour']);
  });

  test('repeated items of a list are one problem of the list', () => {
    expect(problemsOf({ parcels: [], days: ['Mo', 'Mo'] })).toEqual(['days must be an array of days']);
  });

  test('the root of a document has a problem without a place', () => {
    expect(problemsOf(null)).toEqual(['must be an object']);
  });

  test('a document has a problem whenever it does not fit, and problemsIn never throws', () => {
    const any = fc.oneof(fc.jsonValue(), fc.constantFrom('a', 'Mo', 1, 2));
    const parcel = fc.record({ id: any, weight: any, limit: any, note: any, x: any }, { requiredKeys: [] });
    const depot = fc.record(
      {
        parcels: fc.oneof(any, fc.array(fc.oneof(any, parcel), { maxLength: 4 })),
        hours: fc.oneof(any, fc.record({ from: any, to: any, x: any }, { requiredKeys: [] })),
        days: any,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(any, depot), (value) => {
        expect(() => problemsIn(DEPOT, value)).not.toThrow();
      }),
    );
  });
});

test('an unknown field is named only if its name is printable', () => {
  expect(noSuchField('tag')).toBe('unknown field `tag`');
  expect(noSuchField('a\u202eb')).toBe('unknown field (its name is unprintable)');
});

test('a long list of problems is cut and counted', () => {
  expect(firstProblems(['a', 'b', 'c'], 2)).toEqual(['a', 'b', 'and 1 more']);
  expect(firstProblems(['a', 'b'], 2)).toEqual(['a', 'b']);
});

test('[REQ9] the search for unknown fields ends after a thousand problems', () => {
  const asked: string[] = [];
  const schema = {
    type: 'object',
    rule: 'must be an object',
    properties: {},
    unknownField: (key) => {
      asked.push(key);
      return 'is unknown';
    },
  } as const satisfies Schema;
  const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, 1]));
  expect(problemsIn(schema, fields)).toHaveLength(1000);
  expect(asked).toHaveLength(1000);
});
