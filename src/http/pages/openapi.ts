// The OpenAPI document of the admin interface. It is made from the rows that serve the interface: paths, roles and fields from the
// operations, bodies of answers from the shapes that the handlers are checked against.
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import { ERROR } from '../../wire/answers/commonAnswers.ts';
import type { Field, JsonSchema } from '../../wire/fields/fields.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import type { CookieScope } from '../server/request/credential.ts';
import { sessionCookie } from '../server/request/credential.ts';
import { FORMAT_FIELD } from '../server/request/format.ts';
import type { Route } from '../server/route.ts';
import { createDefinitions } from './openapiSchemas.ts';

type SchemaOf = (shape: Shape) => JsonSchema;

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const JSON_BODY = 'application/json';

/** Every body has these fields, so each is defined once. */
const COMMON_FIELDS: Readonly<Record<'f' | 'token', Shape>> = {
  f: {
    title: 'Format',
    ...FORMAT_FIELD.reader.schema,
    default: 'json',
    description: FORMAT_FIELD.description,
  },
  token: {
    title: 'TokenField',
    type: 'string',
    description: 'A token from generateToken. It can also be sent as an Authorization: Bearer header.',
  },
};

const PATH_NAMES: Readonly<Record<string, string>> = {
  service: 'name.type, or folder/name.type. The slash may be encoded.',
};

/** The first one that fits the path of an operation. */
const TAGS = [
  { name: 'Demo', path: /^\/demo/, description: 'The simulated deployment.' },
  {
    name: 'Webhooks',
    path: /\/(webhooks|events)/,
    description: 'Webhooks, their deliveries, and the delivery policy.',
  },
  { name: 'Catalog', path: /^\/services/, description: 'Folders and services.' },
  { name: 'Upgrades', path: /^\/system\/upgrades/, description: 'Versions, plans and upgrades of the deployment.' },
  { name: 'Jobs', path: /^\/system\/jobs/, description: 'Control of upgrades and other jobs.' },
  { name: 'Uploads', path: /^\/uploads/, description: 'Files that other operations name.' },
  { name: 'System', path: /^(\/system|\/mode)?$/, description: 'Read-only mode, and lists of addresses.' },
  { name: 'Access', path: /^/, description: 'Sign-in, users, tokens and the audit log.' },
];

function securitySchemes(site: Omit<CookieScope, 'isSecure'>) {
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'A token from generateToken, or a named token.' },
    token: { type: 'apiKey', in: 'query', name: 'token', description: 'The same token. Accepted with GET only.' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie({ ...site, isSecure: false }),
      description: `The cookie that login sets; over https its name is ${sessionCookie({ ...site, isSecure: true })}.`,
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description: 'From login. The cookie needs it to write.',
    },
  };
}

function securityOf({ role }: Operation, isGet: boolean): readonly object[] {
  if (role === 'anyone') return [];
  return isGet ? [{ bearer: [] }, { token: [] }, { session: [] }] : [{ bearer: [] }, { session: [], csrf: [] }];
}

const isFile = ({ reader }: Field): boolean => reader.readFile !== undefined;

/** A field has the same meaning in a form and in a JSON body, where it may be a value instead of a text. */
function bodySchema(
  { fields, role }: Pick<Operation, 'fields' | 'role'>,
  type: string,
  schemaOf: SchemaOf,
): JsonSchema {
  const entries = Object.entries(fields).filter(([, field]) => type === MULTIPART || !isFile(field));
  const properties = Object.fromEntries(
    entries.map(([name, { reader, description }]) => {
      const schema = type === JSON_BODY ? (reader.json ?? reader.schema) : reader.schema;
      return [name, { ...schema, description }];
    }),
  );
  const { f, token } = COMMON_FIELDS;
  const common = { f: schemaOf(f), ...(role === 'anyone' ? {} : { token: schemaOf(token) }) };
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return { type: 'object', properties: { ...properties, ...common }, ...(required.length > 0 && { required }) };
}

/** A file can only be sent in a multipart form. */
function requestBody(operation: Pick<Operation, 'fields' | 'role'>, schemaOf: SchemaOf): object {
  const fields = Object.values(operation.fields);
  const needsFile = fields.some((field) => field.isRequired && isFile(field));
  const types = needsFile ? [MULTIPART] : [FORM, MULTIPART, JSON_BODY];
  return {
    required: fields.some(({ isRequired }) => isRequired),
    content: Object.fromEntries(types.map((type) => [type, { schema: bodySchema(operation, type, schemaOf) }])),
  };
}

/** Most operations have no fields, so their body is defined once. */
function bodyOf(operation: Operation, schemaOf: SchemaOf): object {
  const hasFields = operation.role === 'anyone' || Object.keys(operation.fields).length > 0;
  return hasFields ? requestBody(operation, schemaOf) : { $ref: '#/components/requestBodies/NoFields' };
}

/** Settings are only read by GET. */
function queryParameters({ kind, fields }: Operation, schemaOf: SchemaOf): readonly object[] {
  const named = Object.entries(kind === 'settings' ? {} : fields).map(
    ([name, { reader, isRequired: required, description }]) => {
      return { name, in: 'query', required, description, schema: reader.schema };
    },
  );
  return [...named, { name: 'f', in: 'query', schema: schemaOf(COMMON_FIELDS.f) }];
}

function parametersOf(operation: Operation, isGet: boolean, schemaOf: SchemaOf): readonly object[] {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const description = PATH_NAMES[name];
    return { name, in: 'path', required: true, ...(description && { description }), schema: { type: 'string' } };
  });
  const lastSeen = {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event that the client has seen.',
    schema: { type: 'string' },
  };
  return [
    ...inPath,
    ...(isGet ? queryParameters(operation, schemaOf) : []),
    ...(operation.media === 'text/event-stream' ? [lastSeen] : []),
  ];
}

function responsesOf({ answer, media }: Operation, schemaOf: SchemaOf): object {
  const json = { 'application/json': { schema: schemaOf(answer) } };
  const contents = {
    json,
    'application/octet-stream': { 'application/octet-stream': { schema: schemaOf(answer) } },
    'application/x-ndjson': { 'application/x-ndjson': { schema: schemaOf(answer) } },
    'text/event-stream': { 'text/event-stream': { schema: { type: 'string' } }, ...json },
  };
  return {
    200: { description: 'Done.', content: contents[media ?? 'json'] },
    ...(media === 'text/event-stream' && {
      204: { description: 'The job has ended, and the client has seen it all.' },
    }),
    default: { $ref: '#/components/responses/Error' },
  };
}

/** `/services/{service}/webhooks/{id}/edit` is `serviceWebhooksEdit`; a name at the end is the name of the row. */
function idOf({ name, operation: { path } }: Route): string {
  const parts = path.replace('/services/{service}', '/service').split('/').slice(1);
  const words = parts.map((part, n) => (part.startsWith('{') ? (n === parts.length - 1 ? name : '') : part));
  const id = words.map((word, n) => (n === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1))).join('');
  return id === '' ? name : id;
}

function roleText({ role, changeRole, starterMay }: Operation): string {
  if (role === 'anyone') return 'No role is needed.';
  if (changeRole !== undefined) return `Role: ${role} to read, ${changeRole} to change.`;
  return `Role: ${role}${starterMay ? ', or the user who started the job' : ''}.`;
}

function describe(route: Route, operationId: string, isGet: boolean, schemaOf: SchemaOf): object {
  const { operation } = route;
  const { description } = operation;
  const [summary = description] = description.split(/(?<=\.) /, 1);
  return {
    operationId,
    tags: [TAGS.find(({ path }) => path.test(operation.path))?.name],
    summary,
    description: `${description}\n\n${roleText(operation)}`,
    parameters: parametersOf(operation, isGet, schemaOf),
    ...(isGet ? {} : { requestBody: bodyOf(operation, schemaOf) }),
    responses: responsesOf(operation, schemaOf),
    security: securityOf(operation, isGet),
  };
}

/** A resource is read by GET; the same by POST has another id. Settings are changed by POST. */
function methodsOf(route: Route, schemaOf: SchemaOf): object {
  const id = idOf(route);
  const { kind } = route.operation;
  if (kind === 'operation') return { post: describe(route, id, false, schemaOf) };
  const postId = `${id}${kind === 'settings' ? 'Change' : 'ByPost'}`;
  return { get: describe(route, id, true, schemaOf), post: describe(route, postId, false, schemaOf) };
}

export interface OpenapiOptions extends Omit<CookieScope, 'isSecure'> {
  readonly root: string;
  readonly version: string;
}

/** Describes the admin interface, from the same operations that serve it. */
export function openapi(table: readonly Route[], { root, prefix, installation, version }: OpenapiOptions): JsonObject {
  const { schemas, schemaOf } = createDefinitions();
  const error = { description: 'An error', content: { 'application/json': { schema: schemaOf(ERROR) } } };
  const noFields = requestBody({ fields: {}, role: 'viewer' }, schemaOf);
  const paths = table.map((route) => [`${root}${route.operation.path}`, methodsOf(route, schemaOf)] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Steward',
      version,
      description: 'The administrative interface.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: securitySchemes({ prefix, installation }),
      requestBodies: { NoFields: noFields },
      responses: { Error: error },
      schemas,
    },
  };
}
