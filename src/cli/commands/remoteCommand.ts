// A command that calls the server is made from a row of the operation table: the parts of its path and the fields that `arguments`
// names are arguments, and all other fields are flags. So a command has what the interface has, with the same descriptions.
import type { Clock } from '../../foundation/clock.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import type { Field } from '../../wire/fields/fields.ts';
import type { Address } from '../../wire/client/call.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import type { OutputFlags, View } from '../output/output.ts';
import type { Connection, FormFields, SentFile } from '../remote/connection.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import type { Streams } from '../remote/streams.ts';

/** The flags of every command that calls the server. */
export interface RemoteFlags extends OutputFlags {
  readonly server?: string;
  readonly profile?: string;
  readonly caFile?: string;
  readonly yes?: true;
}

/** A flag that no field of the operation has. */
export interface ExtraFlag {
  readonly flag: string;
  readonly description: string;
}

export interface Given {
  /** Arguments that are not fields, and flags of `flags`, by their names. */
  readonly extra: Readonly<Record<string, string | true>>;
  readonly fields: FormFields;
  readonly files: Readonly<Record<string, SentFile>>;
}

/** What the code of a command gets. */
export interface CommandRun {
  /** The path of the operation below {root}, with its parts filled in. */
  readonly path: Address;
  readonly given: Given;
  readonly flags: RemoteFlags;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly connection: Connection;
  /** Calls the operation of the command with these fields, those that were given by default. */
  call(given?: Pick<Given, 'fields' | 'files'>): Promise<unknown>;
  /** Asks before something is destroyed. `--yes` answers. */
  confirm(question: string): Promise<void>;
  print(view: View, answer: unknown, shape: Shape): void;
  /** The text of a file, or of standard input for `-`. */
  readDocument(flag: string, path: string): Promise<string>;
}

export interface RemoteCommand {
  readonly words: string;
  readonly operation: Operation;
  /** What it does, in the imperative, if the description of the operation does not say it. */
  readonly summary?: string;
  /** Fields that are arguments, after the parts of the path, and arguments that are not fields. */
  readonly arguments?: readonly string[];
  /** Arguments that may be left out. */
  readonly optional?: readonly string[];
  /** Fields that the command does not offer, because it sets them itself. */
  readonly omit?: readonly string[];
  /** Text fields that are read from a file. */
  readonly documents?: readonly string[];
  readonly flags?: readonly ExtraFlag[];
  /** The question before it runs, with the arguments in braces. */
  readonly asks?: string | ((fields: FormFields) => string);
  /** What follows "steward" in the example of the help. */
  readonly example: string;
  readonly view: View;
  /** Makes the fields of the operation from what was given. */
  readonly prepare?: (given: Given) => FormFields;
  /** Says whether the answer is good, for the exit code. */
  readonly outcome?: (answer: unknown) => Exit;
  readonly run?: (run: CommandRun) => Promise<Exit>;
  /** Set if it is the command of its group without a further word. */
  readonly isDefault?: true;
}

/** Names for arguments and flags that say more than the field of the interface. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  folderName: 'folder',
  hookUrl: 'url',
  importFile: 'file',
  isReadOnly: 'read-only',
  itemFile: 'file',
  objectsFile: 'objects',
  upgradeId: 'version',
  upgradeSettings: 'settings',
  versionManifest: 'version',
  versionManifestFile: 'manifest',
};

/** The same filter under two names; the first is enough. */
const DUPLICATES = new Set(['webhook-id']);

export function nameOf(field: string): string {
  return OTHER_NAMES[field] ?? field.replace(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase();
}

/** Checks a part of a path. It must not change which operation is called. */
export function pathPart(name: string, value: string): string {
  const parts = name === 'service' ? value.split('/') : [value];
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new CommandFailure('usage', `<${nameOf(name)}> must be a name or an id, not "${value}".`);
  return value;
}

export function pathParts({ path }: Operation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The fields that are flags. */
export function flagFields(command: RemoteCommand): readonly (readonly [string, Field])[] {
  const others = new Set([...(command.arguments ?? []), ...(command.omit ?? [])]);
  return Object.entries(command.operation.fields).filter(([name]) => !others.has(name) && !DUPLICATES.has(name));
}

/** Whether a command has -o. Some have `--output <file>` instead. */
export function hasOutputForm({ flags = [] }: RemoteCommand): boolean {
  return !flags.some(({ flag }) => flag.startsWith('--output '));
}

export type FieldKind = 'boolean' | 'file' | 'document' | 'secret' | 'text';

/** Secrets are read from a file or typed: everybody on a machine can see the arguments of its processes. */
export function kindOf(command: RemoteCommand, name: string, { reader }: Field): FieldKind {
  if (reader.readFile !== undefined) return 'file';
  if (command.documents?.includes(name) === true) return 'document';
  if (reader.isSecret === true) return 'secret';
  return reader.json?.['type'] === 'boolean' ? 'boolean' : 'text';
}

/** The choices of a value, or what it is. */
function valueName({ reader: { schema } }: Field): string {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.join('|');
  return schema['type'] === 'integer' ? 'n' : 'value';
}

/** The flag of a field as Commander declares it. */
export function flagOf(command: RemoteCommand, name: string, field: Field): string {
  const kind = kindOf(command, name, field);
  if (kind === 'boolean') return `--${nameOf(name)} [boolean]`;
  if (kind === 'secret') return `--${nameOf(name)}-file <file>`;
  return `--${nameOf(name)} <${kind === 'text' ? valueName(field) : 'file'}>`;
}

/** The name under which Commander returns the flag. */
export function optionKey(flag: string): string {
  const long = /^--([\w-]+)/.exec(flag)?.[1] ?? '';
  return long.replace(/^no-/, '').replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
