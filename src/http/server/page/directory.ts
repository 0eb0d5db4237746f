// What surrounds the answer of an operation on its page: what lies above and below its address, and a form for each operation there.
// All of it is made from the table of operations.
import type { Actor } from '../../../model/actor.ts';
import { hasRole } from '../../../model/actor.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { FieldReader } from '../../../wire/fields/fields.ts';
import type { Operation } from '../../../wire/operations/operations.ts';

export interface PageLink {
  readonly address: string;
  readonly text: string;
}

export interface PageField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'password' | 'file' | 'choice';
  /** The choices of a field of that kind. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly about: string;
  readonly value: string;
}

export interface PageForm {
  readonly address: string;
  readonly title: string;
  readonly about: string;
  readonly fields: readonly PageField[];
}

export interface Directory {
  /** What lies above, the nearest last. */
  readonly parents: readonly PageLink[];
  readonly children: readonly PageLink[];
  readonly forms: readonly PageForm[];
  /** Proves that a form comes from this page; undefined if the caller has no session, and then there are no forms. */
  readonly csrfToken: string | undefined;
  /** The address of an item in a list of the answer, if it has one. */
  readonly itemAddress: (item: Readonly<Record<string, unknown>>) => string | undefined;
}

const BOOLEAN = ['true', 'false'];

function choicesOf(schema: Readonly<Record<string, unknown>>): readonly string[] {
  const found = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
  return found.includes('True') ? BOOLEAN : found;
}

/** A document may be sent as the text of a field or as a file; a person has it as a file. */
function kindOf(name: string, { readFile, schema }: FieldReader<unknown>): PageField['kind'] {
  if (readFile !== undefined || name.endsWith('File')) return 'file';
  if (choicesOf(schema).length > 0) return 'choice';
  if (schema['format'] === 'password') return 'password';
  return schema['type'] === 'integer' ? 'number' : 'text';
}

function shownValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function formOf(address: string, title: string, { description, fields }: Operation, values: object): PageForm {
  const given: Readonly<Record<string, unknown>> = isObject(values) ? values : {};
  return {
    address,
    title,
    about: description,
    fields: Object.entries(fields).map(([name, { reader, isRequired, description: about }]) => ({
      name,
      kind: kindOf(name, reader),
      choices: choicesOf(reader.schema),
      isRequired,
      about,
      value: reader.isSecret === true ? '' : shownValue(given[name]),
    })),
  };
}

/** The name of an operation as words: `redeliverFailed` becomes `Redeliver failed`. */
function titleOf(name: string): string {
  const words = name.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function encoded(parts: readonly string[]): string {
  return parts.map((part) => encodeURIComponent(part)).join('/');
}

/** Where an item of a list is: by its own fields, because every kind of list names its items in its own way. */
function addressOf(home: string, path: string, item: Readonly<Record<string, unknown>>): string | undefined {
  const text = (name: string): string => (typeof item[name] === 'string' ? item[name] : '');
  const service = text('serviceName') === '' ? '' : `${text('serviceName')}.${text('type') || text('serviceType')}`;
  const folder = text('folderName') === '' ? [] : [text('folderName')];
  if (service !== '' && text('id') !== '')
    return `${home}/services/${encoded([...folder, service])}/webhooks/${encoded([text('id')])}`;
  if (service !== '') return `${path}/${encoded([service])}`;
  if (path === `${home}/services` && folder.length > 0) return `${path}/${encoded(folder)}`;
  const name = text('username') !== '' && path.endsWith('/users') ? text('username') : text('id') || text('itemID');
  const isList = /\/(?:users|webhooks|deliveries|jobs|uploads)$/.test(path);
  return name !== '' && isList ? `${path}/${encoded([name])}` : undefined;
}

export interface DirectoryRequest {
  readonly operation: Operation;
  /** The published path of the request, without a query. */
  readonly path: string;
  readonly body: object;
  readonly actor: Pick<Actor, 'role'> | undefined;
  readonly csrfToken: string | undefined;
}

function mayDo({ role, changeRole }: Operation, actor: DirectoryRequest['actor']): boolean {
  const needed = changeRole ?? role;
  return needed === 'anyone' || (actor !== undefined && hasRole(actor.role, needed));
}

/** Makes the function that describes the surroundings of a page. `home` is the published path of {root}. */
export function createDirectory(table: readonly { readonly operation: Operation }[], home: string) {
  const byPath = new Map(table.map(({ operation }) => [operation.path, operation]));

  function parentsOf(path: string): readonly PageLink[] {
    const parts = path
      .slice(home.length)
      .split('/')
      .filter((part) => part !== '');
    return parts.map((_, n) => {
      const address = [home, ...parts.slice(0, n)].join('/');
      return { address, text: decodeURIComponent(address.slice(address.lastIndexOf('/') + 1)) };
    });
  }

  return ({ operation, path, body, actor, csrfToken }: DirectoryRequest): Directory => {
    const below = [...byPath].flatMap(([one, found]) => {
      const name = one.startsWith(`${operation.path}/`) ? one.slice(operation.path.length + 1) : '';
      return name === '' || /[{/]/.test(name) || !mayDo(found, actor) ? [] : [{ name, found }];
    });
    const own =
      operation.kind === 'settings' && mayDo(operation, actor) ? [formOf(path, 'Change', operation, body)] : [];
    const forms = below
      .filter(({ found }) => found.kind === 'operation')
      .map(({ name, found }) => formOf(`${path}/${name}`, titleOf(name), found, {}));
    return {
      parents: parentsOf(path),
      children: below
        .filter(({ found }) => found.kind !== 'operation' && found.media === undefined)
        .map(({ name }) => ({ address: `${path}/${name}`, text: titleOf(name) })),
      forms: csrfToken === undefined ? [] : [...own, ...forms],
      csrfToken,
      itemAddress: (item) => addressOf(home, path, item),
    };
  };
}
