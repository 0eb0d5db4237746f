import type { Operation } from '../../wire/operations/operations.ts';
import { FORMAT_FIELD } from '../server/request/format.ts';
import type { Route } from '../server/routes.ts';

const ERROR = {
  description: 'An error',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

const TOKEN = {
  type: 'string',
  description: 'A token from generateToken; an Authorization: Bearer header does as well.',
};

/** A field has the same meaning in a form and in a JSON body, where it may be a value instead of a text. */
function formOf({ fields, role }: Operation, isJson: boolean) {
  const entries = Object.entries(fields);
  const properties = Object.fromEntries(
    entries.map(([name, { reader, description: about }]) => {
      const schema = isJson ? (reader.json ?? reader.schema) : reader.schema;
      return [name, { ...schema, description: about }];
    }),
  );
  const common = {
    f: { ...FORMAT_FIELD.reader.schema, default: 'json', description: FORMAT_FIELD.description },
    ...(role === 'anyone' ? {} : { token: TOKEN }),
  };
  const required = entries.filter(([, { isRequired: needed }]) => needed).map(([name]) => name);
  return { type: 'object', properties: { ...properties, ...common }, ...(required.length === 0 ? {} : { required }) };
}

function describe(operation: Operation, id: string, byGet: boolean) {
  const [form, json] = [formOf(operation, false), formOf(operation, true)];
  const pathNames = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const inQuery = Object.entries(form.properties).map(([name, schema]) => ({ name, in: 'query', schema }));
  const roles =
    operation.changeRole === undefined
      ? operation.role
      : `${operation.role} to read, ${operation.changeRole} to change`;
  return {
    operationId: byGet ? `${id}ByGet` : id,
    summary: operation.description,
    description: `Role: ${roles}.`,
    parameters: [
      ...pathNames.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...(byGet ? inQuery : []),
    ],
    ...(byGet
      ? {}
      : {
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': { schema: form },
              'multipart/form-data': { schema: form },
              'application/json': { schema: json },
            },
          },
        }),
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
      default: ERROR,
    },
    security: operation.role === 'anyone' ? [] : [{ bearer: [] }],
  };
}

/** Describes the admin interface, from the same operations that serve it. */
export function openapi(table: readonly Route[], root: string, version: string): object {
  const paths = table.map(({ name, operation }) => {
    const id = `${operation.path.split('/')[1] ?? 'root'}_${name}`;
    const post = { post: describe(operation, id, false) };
    const verbs = operation.kind === 'operation' ? post : { get: describe(operation, id, true), ...post };
    return [`${root}${operation.path}`, verbs] as const;
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Steward',
      version,
      description: 'The administrative interface. {service} is name.type or folder/name.type.',
    },
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['status', 'error'],
          properties: {
            status: { const: 'error' },
            error: {
              type: 'object',
              required: ['code', 'message', 'details'],
              properties: {
                code: { type: 'integer' },
                message: { type: 'string' },
                details: { type: 'array', items: { type: 'string' } },
              },
            },
          },
        },
      },
    },
  };
}
