// Compares the states before and after a change, field by field. Only fields that differ are kept.

export interface FieldChange {
  /** Such as `headers.x-key`. */
  readonly field: string;
  /** Undefined if the field was absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** They change with every other field. */
const ALWAYS_CHANGED: ReadonlySet<string> = new Set(['modified', 'revision']);

type Leaves = ReadonlyMap<string, unknown>;

function leavesOf(value: unknown, path: readonly string[] = []): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return value === undefined ? [] : [[path.join('.') || 'value', value]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The fields that a change has set, cleared or altered. Empty fields of something new or deleted are left out. */
export function changesOf(before: unknown, after: unknown): readonly FieldChange[] {
  const [old, now]: [Leaves, Leaves] = [new Map(leavesOf(before)), new Map(leavesOf(after))];
  const isEdit = before !== undefined && after !== undefined;
  const changes = [...new Set([...old.keys(), ...now.keys()])]
    .map((field): FieldChange => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((one) => (isEdit ? !isSame(one.before, one.after) : !isEmpty(one.before) || !isEmpty(one.after)));
  const telling = changes.filter(({ field }) => !ALWAYS_CHANGED.has(field));
  return telling.length > 0 ? telling : changes;
}

export function inWords(value: unknown): string {
  if (isEmpty(value)) return 'empty';
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
