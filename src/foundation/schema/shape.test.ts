import { expect, test } from 'vitest';
import type { ShapeType } from './shape.ts';
import {
  choice,
  either,
  flag,
  integer,
  list,
  map,
  named,
  nullable,
  object,
  open,
  optional,
  text,
  time,
} from './shape.ts';

const PARCEL = named(
  'Parcel',
  object({ id: text('Its id.'), state: choice(['sent', 'lost']), weight: optional(integer()) }),
);
const DEPOT = object({ parcels: list(PARCEL), opened: nullable(time('When it opened.')), doors: map(flag()) });
type Depot = ShapeType<typeof DEPOT>;

test('[ADR6] a shape is the JSON Schema of its values', () => {
  expect(PARCEL).toEqual({
    title: 'Parcel',
    type: 'object',
    required: ['id', 'state'],
    properties: {
      id: { type: 'string', description: 'Its id.' },
      state: { type: 'string', enum: ['sent', 'lost'] },
      weight: { type: 'integer' },
    },
  });
  expect(DEPOT).toMatchObject({
    required: ['parcels', 'opened', 'doors'],
    properties: {
      parcels: { type: 'array', items: PARCEL },
      opened: { anyOf: [{ type: 'integer', format: 'int64' }, { type: 'null' }], description: expect.any(String) },
      doors: { type: 'object', additionalProperties: { type: 'boolean' } },
    },
  });
  expect(nullable(PARCEL)).toEqual({ anyOf: [PARCEL, { type: 'null' }] });
  expect(either(PARCEL, text())).toEqual({ anyOf: [PARCEL, { type: 'string' }] });
  expect(open(PARCEL)).toEqual({ ...PARCEL, additionalProperties: true });
  expect(choice([0, 1])).toEqual({ type: 'integer', enum: [0, 1] });
});

test('[ADR6] the compiler refuses a value that does not fit its shape', () => {
  const depots: readonly Depot[] = [
    { parcels: [{ id: 'a', state: 'sent' }], opened: null, doors: { north: true } },
    // @ts-expect-error -- a required field is missing
    { parcels: [], opened: 1 },
    // @ts-expect-error -- no such choice
    { parcels: [{ id: 'a', state: 'late' }], opened: null, doors: {} },
    // @ts-expect-error -- a field of another type
    { parcels: [{ id: 'a', state: 'sent', weight: '1' }], opened: null, doors: {} },
    // @ts-expect-error -- no such field
    { parcels: [], opened: null, doors: {}, colour: 'red' },
  ];
  expect(depots).toHaveLength(5);
});
