// Rows that follow from the OpenAPI document, so that they cover new operations too.
import { valueAt } from '../../../src/foundation/schema/json.ts';
import type { Fields } from '../server/client.ts';
import type { DescribedOperation, OpenapiDocument } from '../server/openapiDocument.ts';
import { fieldsOf, resolve } from '../server/openapiDocument.ts';
import type { Row, Who } from './player.ts';

/** What the names in a path stand for, by the beginning of the path. */
const ALIASES: readonly (readonly [path: string, name: string, alias: string])[] = [
  ['/admin/services/', 'id', 'hook'],
  ['/admin/system/webhooks', 'id', 'systemHook'],
  ['/admin/system/', 'delivery', 'systemDelivery'],
  ['/admin/system/', 'event', 'systemEvent'],
  ['/admin/system/jobs', 'id', 'job'],
  ['/admin/security/tokens', 'id', 'named'],
  ['/admin/security/users', 'username', 'paul'],
  ['/admin/uploads', 'id', 'licenceItem'],
];

/** Fields without which a resource is refused, or would answer with all that the series has changed. */
const RESOURCE_FIELDS: Readonly<Record<string, Fields>> = {
  '/admin/system/upgrades/images': { id: 'pat_11.0.2187' },
  '/admin/demo/receiver/inbox': { name: 'ok' },
  '/admin/security/audit': { limit: '3' },
  '/admin/security/audit/export': { who: 'paul' },
};

/** Ends the session that plays. */
const ENDS_SESSION = '/admin/logout';
const ROLES: readonly Who[] = ['anonymous', 'viewer', 'publisher'];
const LONG = 'ä'.repeat(5000);
const NOT_A_TEXT = { neither: ['a text', 1] };

/** The address with names of things that exist, or of none. */
function addressOf(path: string, exists: boolean): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const alias = ALIASES.find(([start, one]) => path.startsWith(start) && one === name)?.[2] ?? name;
    return `{${name}=${exists ? alias : 'none'}}`;
  });
}

function operationsOf(document: OpenapiDocument, method: 'get' | 'post') {
  return Object.entries(document.paths).flatMap(([path, { [method]: operation }]) =>
    operation === undefined ? [] : [{ path, operation }],
  );
}

function requires(document: OpenapiDocument, { requestBody = {} }: DescribedOperation): boolean {
  const required = valueAt(resolve(document, requestBody), 'content', 'multipart/form-data', 'schema', 'required');
  return Array.isArray(required) && required.length > 0;
}

/** Each operation with all its fields wrong, with one that it does not have, and without those that it needs. */
export function wrongRows(document: OpenapiDocument): readonly Row[] {
  return operationsOf(document, 'post').flatMap(({ path, operation }): readonly Row[] => {
    const names = Object.keys(fieldsOf(document, operation)).filter(
      (name) => !['f', 'token', '_', 'csrfToken'].includes(name),
    );
    const all = (value: unknown): object => Object.fromEntries(names.map((name) => [name, value]));
    const call = `POST ${addressOf(path, true)}`;
    const unknown: readonly Row[] = [[call, { [`${names[0] ?? 'name'}s`]: 'x', colour: 'red' }]];
    const wrong: readonly Row[] = [
      [call, all('\0')],
      [call, all(LONG), { form: 'multipart' }],
      [call, all(NOT_A_TEXT), { form: 'json' }],
      [call.replace('/admin', '/compat/admin'), all('\0')],
    ];
    return [
      ...(path === '/admin/generateToken' ? [] : unknown),
      ...(names.length === 0 ? [] : wrong),
      ...(requires(document, operation) ? [[call] as const] : []),
    ];
  });
}

/** Each resource in every format, by every way to ask it, and on the compat interface. */
export function resourceRows(document: OpenapiDocument): readonly Row[] {
  return operationsOf(document, 'get').flatMap(({ path }): readonly Row[] => {
    const [address, fields] = [addressOf(path, true), RESOURCE_FIELDS[path] ?? {}];
    return [
      [`GET ${address}`, { ...fields, f: 'json' }],
      [`POST ${address}`, { ...fields, f: 'pjson' }],
      [`GET ${address}`, { ...fields, f: 'html' }],
      [`GET ${address.replace('/admin', '/compat/admin')}`, { ...fields, f: 'json' }],
    ];
  });
}

/** Each operation for each role, on things that do not exist. */
export function roleRows(document: OpenapiDocument): readonly Row[] {
  const reads = operationsOf(document, 'get').map(({ path }) => ({ method: 'GET', path }));
  const changes = operationsOf(document, 'post')
    .filter(({ path }) => document.paths[path]?.['get'] === undefined && path !== ENDS_SESSION)
    .map(({ path }) => ({ method: 'POST', path }));
  return [...reads, ...changes].flatMap(({ method, path }) =>
    ROLES.map((as): Row => [`${method} ${addressOf(path, false)}`, RESOURCE_FIELDS[path] ?? {}, { as }]),
  );
}

/** Needs the password that the demo has made up; the series sets its own, and shows the refusal. */
const NEVER_SUCCEEDS = 'POST /admin/demo/login';

/** The operations that have not succeeded, as `METHOD path`. */
export function notCovered(document: OpenapiDocument, succeeded: ReadonlySet<string>): readonly string[] {
  const all = (['get', 'post'] as const).flatMap((method) =>
    operationsOf(document, method).map(({ path }) => `${method.toUpperCase()} ${path}`),
  );
  return all.filter((call) => !succeeded.has(call) && call !== NEVER_SUCCEEDS);
}
