// Tables: a codec with the name of its table, and the statements that follow from it. Builders (`inserter`, `updater` …) are
// called once, at module load or when a store is opened, and return a function that runs the statement.
import type { Codec, Fields, RecordOf } from './codec.ts';
import { codec } from './codec.ts';
import type { Dialect } from './dialect.ts';
import type { Row, Script, Value } from './script.ts';
import { rows } from './script.ts';

/** A statement whose text is fixed; it is run with one record or one batch. */
export type Prepared<T> = (subject: T) => Script<readonly Row[]>;

export interface Table<F extends Fields> extends Codec<RecordOf<F>> {
  /** `select a, b, c from name`. */
  readonly select: string;
  readonly insert: Prepared<RecordOf<F>>;
  /** An insert with a clause at its end: `returning …`, `on conflict …`. */
  inserter(clause: string): Prepared<RecordOf<F>>;
  /** Inserts a record, or replaces the one with the same values of `key`. */
  upserter(...key: readonly (keyof F & string)[]): Prepared<RecordOf<F>>;
  /** Sets these fields, or all others, of the record with the same values of `key`. */
  updater<K extends keyof F & string, S extends keyof F & string = keyof F & string>(
    key: readonly K[],
    set?: readonly S[],
  ): Prepared<Pick<RecordOf<F>, K | S>>;
  /** Inserts a batch with one statement. */
  batchInserter(dialect: Dialect, clause?: string): Prepared<readonly RecordOf<F>[]>;
  /** The same table with more of its columns, in front: numbers that the database assigns, or what only the store knows. */
  with<G extends Fields>(more: G): Table<G & F>;
  /** The same table with only some of its columns. */
  pick<K extends keyof F & string>(...keys: readonly K[]): Table<Pick<F, K>>;
  /** The same table without some of its columns. */
  omit<K extends keyof F & string>(...keys: readonly K[]): Table<Omit<F, K>>;
}

/** Describes a table and builds its statements. */
export function table<F extends Fields>(name: string, fields: F): Table<F> {
  type T = RecordOf<F>;
  const whole = codec(fields);
  const names = whole.columns.map((column) => column.name);
  const placeholders = names.map((_, n) => `$${n + 1}`).join(', ');
  const insertion = `insert into ${name} (${whole.list()}) values (${placeholders})`;

  const namesOf = (keys: readonly string[]): readonly string[] =>
    keys.flatMap((key) => fields[key]?.columns ?? []).map((column) => column.name);

  const othersThan = (keys: readonly string[]): readonly string[] =>
    Object.keys(fields).filter((one) => !keys.includes(one));
  const chosen = (keys: readonly string[]): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => keys.includes(key)));

  function inserter(clause: string): Prepared<T> {
    const sql = `${insertion} ${clause}`.trimEnd();
    return (record) => {
      const values: Value[] = [];
      whole.write(record, values);
      return rows(sql, ...values);
    };
  }

  return {
    ...whole,
    select: `select ${whole.list()} from ${name}`,

    insert: inserter(''),
    inserter,

    upserter(...key) {
      const set = namesOf(othersThan(key))
        .map((one) => `${one} = excluded.${one}`)
        .join(', ');
      return inserter(`on conflict (${namesOf(key).join(', ')}) do update set ${set}`);
    },

    updater(key, set) {
      const keys = set ?? othersThan(key);
      const [matched, changed] = [namesOf(key), namesOf(keys)];
      const assignments = changed.map((one, n) => `${one} = $${n + 1}`).join(', ');
      const conditions = matched.map((one, n) => `${one} = $${changed.length + n + 1}`).join(' and ');
      const sql = `update ${name} set ${assignments} where ${conditions}`;
      return (record) => {
        const values: Value[] = [];
        for (const one of [...keys, ...key]) fields[one]?.write(record[one as keyof typeof record], values);
        return rows(sql, ...values);
      };
    },

    batchInserter(dialect, clause = '') {
      // Without `where true` SQLite reads `on conflict` as a condition of a join.
      const sql = `insert into ${name} (${whole.list()}) select ${whole.list('item')} from ${whole.relation(dialect, '$1')} where true ${clause}`;
      return (records) => rows(sql, whole.batch(dialect, records));
    },

    with: (more) => table(name, { ...more, ...fields }),
    pick<K extends keyof F & string>(...keys: readonly K[]) {
      return table(name, chosen(keys) as Pick<F, K>);
    },
    omit<K extends keyof F & string>(...keys: readonly K[]) {
      return table(name, chosen(othersThan(keys)) as Omit<F, K>);
    },
  };
}
