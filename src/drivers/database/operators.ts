/** Labels by which operators of databases mark what they manage, and the names of their sessions. */
const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/^cnpg\.io\/|^postgresql\.cnpg\.io\/|^cnpg/, 'CloudNativePG'],
  [/^postgres-operator\.crunchydata\.com\//, 'the Crunchy Postgres operator'],
  [/^spilo-role$|^application=spilo$/, 'the Zalando Postgres operator'],
  [/^patroni/i, 'Patroni'],
  [/^stackgres\.io\//, 'StackGres'],
  [/^percona\.com\/|^pgv2\.percona\.com\//, 'the Percona operator'],
  [/^(?:pg_auto_failover|pgautofailover)/i, 'pg_auto_failover'],
  [/^repmgr/i, 'repmgr'],
  [/^stolon/i, 'Stolon'],
];

/** The operator that manages a server, if its labels or its sessions tell. */
export function operatorOf(labels: ReadonlyMap<string, string>, sessions: readonly string[]): string | undefined {
  const marks = [...[...labels].flatMap(([key, value]) => [key, `${key}=${value}`]), ...sessions];
  return OPERATORS.find(([pattern]) => marks.some((mark) => pattern.test(mark)))?.[1];
}
