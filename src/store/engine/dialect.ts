import type { Statement, Value } from './script.ts';

export type SqlType = 'bigint' | 'text';

export interface Column {
  readonly name: string;
  readonly type: SqlType;
}

/** The channel of PostgreSQL on which replicas tell one another of raised revisions. */
export const REVISION_CHANNEL = 'steward_revision';

/**
 * A server holds a lock with its number in the session that listens, and claims work as the owner with this number. So the others see
 * immediately when it has ended. A frozen server keeps its session, and loses its claims when their leases end.
 */
export const PRESENCE_LOCKS = 7_364_113;
const OWNER_PREFIX = 'session-';
export const sessionOwner = (number: number): string => `${OWNER_PREFIX}${number}`;

/** Every difference between the SQL of the two engines has a name here. */
export interface Dialect {
  /** The type of a column that numbers its rows. */
  readonly identity: string;
  /** The type of text that is compared and ordered byte by byte. */
  readonly key: string;
  /** Ends the definition of a table that is kept in the index of its primary key, where the engine can. */
  readonly clustered: string;
  /**
   * Ends the definition of a table whose rows are changed. PostgreSQL leaves space in each page, so that it can write a row again beside
   * the old one without a new entry in each index.
   */
  readonly roomForChanges: string;
  /** Ends a select whose rows no other writer may change until the transaction ends. */
  readonly forUpdate: string;
  /** As `forUpdate`, but rows that another writer has locked are left out. */
  readonly skipLocked: string;
  /** Further columns after `returning n` of a raised revision, which wake the other replicas when the transaction commits. */
  readonly wakeReplicas: string;
  /** Whether a subquery in `from` can refer to the row beside it. */
  readonly hasLateral: boolean;
  /** Whether statements run on the event loop of this process. */
  readonly isInProcess: boolean;
  /** How many items of a batch one transaction should handle. SQLite blocks the whole process while it works. */
  readonly atOnce: number;
  /** Rows as the value of one parameter. The values of a row have the order of the columns. */
  readonly batch: (columns: readonly Column[], rows: readonly (readonly Value[])[]) => string;
  /** A batch as a relation named `item` with these columns. */
  readonly relation: (parameter: string, columns: readonly Column[]) => string;
  /**
   * The condition that a column is one of the elements of a JSON array: `id ${isIn('$1', 'bigint')}`. Not a join on PostgreSQL: its
   * planner does not know how long the array is, and may read the whole table instead of its index.
   */
  readonly isIn: (parameter: string, type: SqlType) => string;
  /** The condition that the owner in this column has ended; undefined if there is only one process. */
  readonly hasEnded: ((column: string) => string) | undefined;
  /** Counts the other processes that use the store now. `$1` is the owner of this one. Undefined if there can be none. */
  readonly otherServers: string | undefined;
  /** A column of text as it is compared and ordered byte by byte, whatever its own order is. */
  readonly bytewise: (column: string) => string;
  /**
   * Lists the columns of all tables, in their order: `table_name`, `column_name`, `is_text`, `key_position` (from 1, 0 for a
   * column outside the primary key), `is_identity`, and `is_required` if it cannot be null.
   */
  readonly columnsOfTables: string;
  /**
   * Lists the columns of all indexes, in their order, except those of primary keys: `table_name`, `index_name` (null for that of a unique
   * column), `column_name`, `is_unique` and `is_partial`.
   */
  readonly columnsOfIndexes: string;
  /** The time of the server in milliseconds, as an expression; undefined if there is no server. */
  readonly serverTime: string | undefined;
  /** Reads the identifier that the server shares with its standbys only, as `id`; undefined if there is no server. */
  readonly serverId: string | undefined;
  /** Counts the tables with the name `$1`: none or one. */
  readonly countTables: string;
  /** The highest number that a table has given to a row, as `last`; 0 if it has given none. */
  readonly lastNumber: (table: string, identity: string) => Statement;
  /** Lets a table go on with the number after `last`. */
  readonly setLastNumber: (table: string, identity: string, last: number) => readonly Statement[];
}

export const sqliteDialect: Dialect = {
  identity: 'integer primary key autoincrement',
  key: 'text',
  clustered: ' without rowid',
  roomForChanges: '',
  forUpdate: '',
  skipLocked: '',
  wakeReplicas: '',
  hasLateral: false,
  isInProcess: true,
  // With 32, a delivery takes 10 % more CPU time. A settlement of 64 takes 3 ms.
  atOnce: 64,
  // One JSON array per row: objects with names take 50 % longer to read.
  batch: (_columns, rows) => JSON.stringify(rows),
  relation(parameter, columns) {
    const named = columns.map(({ name }, n) => `value ->> ${n} as ${name}`);
    return `(select ${named.join(', ')} from json_each(${parameter})) as item`;
  },
  isIn: (parameter) => `in (select value from json_each(${parameter}))`,
  hasEnded: undefined,
  otherServers: undefined,
  bytewise: (column) => column,
  columnsOfTables: `select tables.name as table_name, columns.name as column_name,
      lower(columns.type) = 'text' as is_text, columns.pk as key_position,
      lower(columns.type) = 'integer' and columns.pk = 1 as is_identity,
      columns."notnull" = 1 or columns.pk > 0 as is_required
    from sqlite_schema as tables join pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name not like 'sqlite\\_%' escape '\\' order by tables.name, columns.cid`,
  columnsOfIndexes: `select tables.name as table_name, case indexes.origin when 'c' then indexes.name end as index_name,
      columns.name as column_name, indexes."unique" as is_unique, indexes.partial as is_partial
    from sqlite_schema as tables join pragma_index_list(tables.name) as indexes join pragma_index_info(indexes.name) as columns
    where tables.type = 'table' and tables.name not like 'sqlite\\_%' escape '\\' and indexes.origin <> 'pk'
    order by tables.name, indexes.name, columns.seqno`,
  serverTime: undefined,
  serverId: undefined,
  countTables: `select count(*) as n from sqlite_schema where type = 'table' and name = $1`,
  lastNumber: (table) => ({
    sql: 'select coalesce((select seq from sqlite_sequence where name = $1), 0) as last',
    values: [table],
  }),
  setLastNumber: (table, _identity, last) => [
    { sql: 'delete from sqlite_sequence where name = $1', values: [table] },
    { sql: 'insert into sqlite_sequence (name, seq) values ($1, $2)', values: [table, last] },
  ],
};

function isInArray(parameter: string, type: SqlType): string {
  // Numbers in JSON differ from an array only in the brackets. As a subselect it is read once, and not for each row.
  if (type === 'bigint')
    return `= any (cast((select cast(translate(${parameter}, '[]', '{}') as bigint[])) as bigint[]))`;
  return `= any (array(select cast(value as ${type}) from jsonb_array_elements_text(cast(${parameter} as jsonb))))`;
}

/** The text of an array of PostgreSQL. */
function arrayOf(values: readonly Value[]): string {
  const elements = values.map((value) => {
    if (value === null) return 'null';
    return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  });
  return `{${elements.join(',')}}`;
}

export const postgresDialect: Dialect = {
  identity: 'bigint generated by default as identity primary key',
  key: 'text collate "C"',
  clustered: '',
  roomForChanges: ' with (fillfactor = 80)',
  forUpdate: ' for update',
  skipLocked: ' for update skip locked',
  wakeReplicas: `, pg_notify('${REVISION_CHANNEL}', topic || ' ' || n)`,
  hasLateral: true,
  isInProcess: false,
  atOnce: 160,
  // One array per column: PostgreSQL needs 3 µs more for each delivery to read JSON.
  batch: (columns, rows) => arrayOf(columns.map((_, n) => arrayOf(rows.map((row) => row[n] ?? null)))),
  relation(parameter, columns) {
    const arrays = columns.map(({ type }, n) => `cast((cast(${parameter} as text[]))[${n + 1}] as ${type}[])`);
    return `unnest(${arrays.join(', ')}) as item (${columns.map(({ name }) => name).join(', ')})`;
  },
  isIn: isInArray,
  otherServers: `select count(distinct objid) from pg_locks where locktype = 'advisory' and classid = ${PRESENCE_LOCKS}
    and '${OWNER_PREFIX}' || objid <> $1 and database = (select oid from pg_database where datname = current_database())`,
  hasEnded: (column) => `${column} like '${OWNER_PREFIX}%' and not exists (select 1 from pg_locks
    where locktype = 'advisory' and classid = ${PRESENCE_LOCKS} and '${OWNER_PREFIX}' || objid = ${column}
      and database = (select oid from pg_database where datname = current_database()))`,
  bytewise: (column) => `${column} collate "C"`,
  // Tables of extensions are not ours.
  columnsOfTables: `select tables.relname as table_name, columns.attname as column_name,
      cast(format_type(columns.atttypid, null) = 'text' as int) as is_text,
      coalesce(array_position(cast(keys.indkey as int2[]), columns.attnum) + 1, 0) as key_position,
      cast(columns.attidentity <> '' as int) as is_identity, cast(columns.attnotnull as int) as is_required
    from pg_class as tables
    join pg_attribute as columns on columns.attrelid = tables.oid and columns.attnum > 0 and not columns.attisdropped
    left join pg_index as keys on keys.indrelid = tables.oid and keys.indisprimary
    where tables.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and tables.relkind in ('r', 'p')
      and not exists (select 1 from pg_depend where objid = tables.oid and deptype = 'e')
    order by tables.relname collate "C", columns.attnum`,
  columnsOfIndexes: `select tables.relname as table_name,
      case when unique_constraints.oid is null then indexes.relname end as index_name, columns.attname as column_name,
      cast(keys.indisunique as int) as is_unique, cast(keys.indpred is not null as int) as is_partial
    from pg_index as keys
    join pg_class as tables on tables.oid = keys.indrelid
    join pg_class as indexes on indexes.oid = keys.indexrelid
    join pg_attribute as columns on columns.attrelid = keys.indexrelid
    left join pg_constraint as unique_constraints
      on unique_constraints.conindid = keys.indexrelid and unique_constraints.contype = 'u'
    where not keys.indisprimary
      and tables.relnamespace = (select oid from pg_namespace where nspname = current_schema())
    order by tables.relname collate "C", indexes.relname collate "C", columns.attnum`,
  serverTime: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
  serverId: 'select system_identifier::text as id from pg_control_system()',
  countTables: `select count(*) as n from pg_class where oid = to_regclass($1)`,
  lastNumber: (table, identity) => ({
    sql: `select coalesce(last_value, 0) as last from pg_sequences
      where format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence($1, $2)`,
    values: [table, identity],
  }),
  setLastNumber: (table, identity, last) =>
    last === 0 ? [] : [{ sql: 'select setval(pg_get_serial_sequence($1, $2), $3)', values: [table, identity, last] }],
};
