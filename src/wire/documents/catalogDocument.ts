import { parse } from 'yaml';
import type { Read, Reader } from '../operations/fields.ts';
import { choice, name, nameOtherThan, serviceType, text, webAddress } from '../operations/fields.ts';

export interface DocumentFolder {
  readonly name: string;
  readonly description: string;
}

export interface DocumentService {
  readonly folder: string;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly capabilities: string;
  readonly parentType: string;
  readonly url: string;
  readonly access: 'public' | 'private';
  readonly state: 'running' | 'stopped';
}

/** What import takes and export gives. */
export interface CatalogDocument {
  readonly folders: readonly DocumentFolder[];
  readonly services: readonly DocumentService[];
}

/** Names that an address below {root}/services already has. */
export const RESERVED_FOLDERS = [
  'webhooks',
  'createFolder',
  'deleteFolder',
  'createService',
  'import',
  'export',
  'edit',
  'delete',
  'start',
  'stop',
  'status',
  'events',
];

const YAML_AT_MOST = 256 * 1024;
const PROBLEMS_AT_MOST = 100;

/** Reads the entries of one object, and notes what is wrong with which. */
class Entry {
  readonly #of: Readonly<Record<string, unknown>>;
  readonly #at: string;
  readonly #problems: string[];

  constructor(of: unknown, at: string, problems: string[]) {
    const isObject = typeof of === 'object' && of !== null && !Array.isArray(of);
    if (!isObject) problems.push(`${at}: must be an object`);
    this.#of = isObject ? (of as Readonly<Record<string, unknown>>) : {};
    this.#at = at;
    this.#problems = problems;
  }

  read<T>(key: string, reader: Reader<T>, byDefault?: T): T {
    const given = this.#of[key];
    const isAbsent = given === undefined || given === null || given === '';
    if (isAbsent && byDefault !== undefined) return byDefault;
    const read: Read<T> = isAbsent
      ? { problem: 'is needed' }
      : typeof given === 'string'
        ? reader.read(given)
        : { problem: 'must be a text' };
    if ('value' in read) return read.value;
    this.#problems.push(`${this.#at}.${key}: ${read.problem}`);
    return byDefault as T;
  }

  list(key: string): readonly unknown[] {
    const given = this.#of[key] ?? [];
    if (Array.isArray(given)) return given;
    this.#problems.push(`${this.#at}.${key}: must be a list`);
    return [];
  }
}

function readFolder(of: unknown, at: string, problems: string[]): DocumentFolder {
  const entry = new Entry(of, at, problems);
  return {
    name: entry.read('folderName', nameOtherThan(RESERVED_FOLDERS)),
    description: entry.read('description', text(4000), ''),
  };
}

function readService(of: unknown, at: string, problems: string[]): DocumentService {
  const entry = new Entry(of, at, problems);
  return {
    folder: entry.read('folderName', name, ''),
    name: entry.read('serviceName', name),
    type: entry.read('type', serviceType),
    description: entry.read('description', text(4000), ''),
    capabilities: entry.read('capabilities', text(4000), ''),
    parentType: entry.read('parentType', text(120), ''),
    url: entry.read('url', webAddress, ''),
    access: entry.read('access', choice(['public', 'private']), 'private'),
    state: entry.read('state', choice(['running', 'stopped']), 'running'),
  };
}

function parsed(given: string): Read<unknown> {
  const isJson = /^\s*[{[]/.test(given);
  if (!isJson && given.length > YAML_AT_MOST) return { problem: 'is too large for YAML (256 KiB); send it as JSON' };
  try {
    return { value: isJson ? JSON.parse(given) : parse(given) };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '';
    return { problem: `is neither JSON nor YAML: ${reason}` };
  }
}

/** A JSON or YAML file; every mistake in it is named with its place. */
export const catalogDocument: Reader<CatalogDocument> = {
  schema: { type: 'string', contentMediaType: 'application/json' },
  read(given) {
    const content = parsed(given);
    if ('problem' in content) return content;
    const problems: string[] = [];
    const root = new Entry(content.value, 'file', problems);
    const folders = root.list('folders').map((one, n) => readFolder(one, `folders[${n}]`, problems));
    const services = root.list('services').map((one, n) => readService(one, `services[${n}]`, problems));
    if (problems.length === 0) return { value: { folders, services } };
    const more = problems.length > PROBLEMS_AT_MOST ? `; and ${problems.length - PROBLEMS_AT_MOST} more` : '';
    return { problem: problems.slice(0, PROBLEMS_AT_MOST).join('; ') + more };
  },
};

export function toDocument(folders: readonly DocumentFolder[], services: readonly DocumentService[]): object {
  return {
    folders: folders.map(({ name: folderName, description }) => ({ folderName, description })),
    services: services.map(
      ({ folder, name: serviceName, type, description, capabilities, parentType, url, access, state }) => ({
        folderName: folder,
        serviceName,
        type,
        description,
        capabilities,
        parentType,
        url,
        access,
        state,
      }),
    ),
  };
}
