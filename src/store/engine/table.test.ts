import { describe, expect, test } from 'vitest';
import { eachStore, openEngine } from '../../../test/support/store/stores.ts';
import { codec, flag, integer, json, oneOf, optional, text } from './codec.ts';
import { sqliteDialect } from './dialect.ts';
import type { Engine } from './engine.ts';
import { row, rows } from './script.ts';
import { table } from './table.ts';

const COLOURS = ['red', 'green'] as const;

const boxes = table('box', {
  name: text('name'),
  size: integer('size'),
  isOpen: flag('is_open'),
  colour: oneOf('colour', COLOURS),
  tags: json<readonly string[]>('tags'),
  place: codec({ shelf: text('shelf'), row: integer('shelf_row') }),
  sold: optional(codec({ at: integer('sold_at'), note: text('sold_note') })),
});
const numberedBoxes = boxes.with({ number: integer('id') });

const OPEN_BOX = {
  name: `a "b" 'c' \\ ü 😀`,
  size: -3,
  isOpen: true,
  colour: 'red',
  tags: ['x', '1'],
  place: { shelf: 'A', row: 2 },
  sold: undefined,
} as const;
const SOLD_BOX = { ...OPEN_BOX, name: '7', isOpen: false, sold: { at: 9, note: '' } } as const;

describe('a codec', () => {
  test('lists the columns of nested fields, with an alias if there is one', () => {
    expect(codec({ at: integer('at'), place: codec({ shelf: text('shelf') }) }).list('w')).toBe('w.at, w.shelf');
    expect(boxes.select).toBe(
      'select name, size, is_open, colour, tags, shelf, shelf_row, sold_at, sold_note from box',
    );
  });

  test('refuses a row whose column is missing, has another type, or an unknown word', () => {
    expect(() => integer('n').read({ n: '1' })).toThrow('column n holds no integer');
    expect(() => text('n').read({})).toThrow('column n holds no text');
    expect(() => optional(text('n')).read({})).toThrow('column n holds no text');
    expect(() => oneOf('colour', COLOURS).read({ colour: 'blue' })).toThrow(
      'column colour holds blue, which is none of red, green',
    );
  });

  test('parses a document with the function that it was given', () => {
    const count = json('list', (value) => (Array.isArray(value) ? value.length : 0));
    expect(count.read({ list: '[1, 2]' })).toBe(2);
  });

  test('reads a group of columns as undefined only if all of them are null', () => {
    const sold = optional(codec({ at: integer('at'), note: optional(text('note')) }));
    expect(sold.read({ at: null, note: null })).toBeUndefined();
    expect(sold.read({ at: 1, note: null })).toEqual({ at: 1, note: undefined });
    expect(() => sold.read({ at: null, note: 'x' })).toThrow('column at holds no integer');
  });

  test('makes a relation with named columns from a batch', () => {
    expect(codec({ id: integer('id'), state: text('state') }).relation(sqliteDialect, '$1')).toBe(
      '(select value ->> 0 as id, value ->> 1 as state from json_each($1)) as item',
    );
  });
});

eachStore((kind) => {
  async function withBoxes(work: (engine: Engine) => Promise<void>): Promise<void> {
    const made = await kind.place();
    const engine = await openEngine(made.place);
    try {
      const { identity, key } = engine.dialect;
      await engine.write('exclusive', () =>
        rows(`create table box (id ${identity}, name ${key} not null unique, size bigint not null, is_open bigint not null,
          colour text not null, tags text not null, shelf text not null, shelf_row bigint not null, sold_at bigint, sold_note text)`),
      );
      await work(engine);
    } finally {
      await engine.close();
      await made.remove();
    }
  }

  async function boxesIn(engine: Engine): Promise<readonly unknown[]> {
    return engine.read(boxes.all(`${boxes.select} order by id`));
  }

  describe('a table', () => {
    test('returns the record that was inserted', async () => {
      await withBoxes(async (engine) => {
        const insert = boxes.inserter('returning id');
        const made = await engine.write('shared', function* () {
          yield* boxes.insert(OPEN_BOX);
          return yield* insert(SOLD_BOX);
        });
        expect(made).toEqual([{ id: 2 }]);
        expect(await boxesIn(engine)).toEqual([OPEN_BOX, SOLD_BOX]);
        const second = await engine.read(numberedBoxes.first(`${numberedBoxes.select} where name = $1`, '7'));
        expect(second).toEqual({ ...SOLD_BOX, number: 2 });
      });
    });

    test('inserts a batch with one statement', async () => {
      await withBoxes(async (engine) => {
        const insert = boxes.batchInserter(engine.dialect, 'on conflict (name) do nothing returning name');
        const made = await engine.write('shared', () => insert([OPEN_BOX, SOLD_BOX, OPEN_BOX]));
        expect(made).toEqual([{ name: OPEN_BOX.name }, { name: '7' }]);
        expect(await boxesIn(engine)).toEqual([OPEN_BOX, SOLD_BOX]);
      });
    });

    test('updates the fields that are named, or all that are not part of the key', async () => {
      await withBoxes(async (engine) => {
        const update = boxes.updater(['name']);
        const sell = boxes.updater(['name', 'place'], ['sold', 'isOpen']);
        await engine.write('shared', function* () {
          yield* boxes.insert(OPEN_BOX);
          yield* boxes.insert(SOLD_BOX);
          yield* update({ ...OPEN_BOX, size: 8, tags: [], place: { shelf: 'B', row: 0 } });
          yield* sell({ name: '7', place: { shelf: 'elsewhere', row: 2 }, sold: undefined, isOpen: true });
          yield* sell({ name: '7', place: { shelf: 'A', row: 2 }, sold: { at: 10, note: 'n' }, isOpen: true });
        });
        expect(await boxesIn(engine)).toEqual([
          { ...OPEN_BOX, size: 8, tags: [], place: { shelf: 'B', row: 0 } },
          { ...SOLD_BOX, isOpen: true, sold: { at: 10, note: 'n' } },
        ]);
      });
    });

    test('replaces the record with the same key', async () => {
      await withBoxes(async (engine) => {
        const put = boxes.upserter('name');
        await engine.write('shared', function* () {
          yield* put(SOLD_BOX);
          yield* put({ ...SOLD_BOX, size: 4, sold: undefined });
        });
        expect(await boxesIn(engine)).toEqual([{ ...SOLD_BOX, size: 4, sold: undefined }]);
      });
    });

    test('can be joined with a batch or filtered by a list', async () => {
      await withBoxes(async (engine) => {
        const resized = codec({ name: text('name'), size: integer('size'), sold: optional(integer('sold_at')) });
        const { dialect } = engine;
        const left = await engine.write('shared', function* () {
          yield* boxes.insert(OPEN_BOX);
          yield* boxes.insert(SOLD_BOX);
          yield* rows(
            `update box set size = item.size, sold_at = coalesce(item.sold_at, box.sold_at)
             from ${resized.relation(dialect, '$1')} where box.name = item.name`,
            resized.batch(dialect, [{ name: '7', size: 70, sold: undefined }]),
          );
          return yield* row(
            `select name, size, sold_at from box where size ${dialect.isIn('$1', 'bigint')}
               and name ${dialect.isIn('$2', 'text')}`,
            JSON.stringify([1, 70]),
            JSON.stringify(['7']),
          );
        });
        expect(left).toEqual({ name: '7', size: 70, sold_at: 9 });
      });
    });
  });
});
