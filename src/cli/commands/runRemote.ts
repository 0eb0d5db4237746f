// Runs a command that calls the server: reads what was given, opens the connection by flags, environment and profile, asks where
// something is destroyed, calls, prints the answer, and returns the exit code.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { systemClock } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Address } from '../../wire/client/call.ts';
import { at, templateOf } from '../../wire/client/call.ts';
import { printAnswer } from '../output/output.ts';
import { readOutputForm } from '../output/outputForm.ts';
import { bytesText, createProgress } from '../output/progress.ts';
import type { Connection, FormFields, SentFile } from '../remote/connection.ts';
import { openConnection } from '../remote/connection.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import { profilePath, readProfile } from '../remote/profile.ts';
import type { Streams } from '../remote/streams.ts';
import { isRead } from '../remote/typedCall.ts';
import type { CommandRun, Given, RemoteCommand, RemoteFlags } from './remoteCommand.ts';
import { flagFields, flagOf, hasOutputForm, kindOf, nameOf, optionKey, pathPart, pathParts } from './remoteCommand.ts';

export type GivenOptions = RemoteFlags & Readonly<Record<string, unknown>>;

const DEFAULT_SERVER = 'http://127.0.0.1:6080';
/** A file of this size is sent before a person has read the line. */
const SMALL_FILE = 1024 * 1024;

function given(streams: Streams, variable: string): string | undefined {
  const value = streams.environment[variable];
  return value === '' ? undefined : value;
}

export function profileName(streams: Streams, { profile }: RemoteFlags): string {
  return profile ?? given(streams, 'STEWARD_PROFILE') ?? 'default';
}

function tokenOf(streams: Streams): string | undefined {
  const file = given(streams, 'STEWARD_TOKEN_FILE');
  return (
    given(streams, 'STEWARD_TOKEN') ?? (file === undefined ? undefined : readText('STEWARD_TOKEN_FILE', file).trim())
  );
}

/** Where a command connects to. A token of the profile is not sent to another server than its own. */
function connect(streams: Streams, flags: RemoteFlags): Connection {
  const name = profileName(streams, flags);
  const profile = readProfile(profilePath(streams, name));
  const isNamed = flags.profile !== undefined || given(streams, 'STEWARD_PROFILE') !== undefined;
  if (profile === undefined && isNamed)
    throw new CommandFailure('notSignedIn', `There is no profile ${name}. Run steward login --profile ${name}.`);
  const server = flags.server ?? given(streams, 'STEWARD_SERVER');
  const url = server ?? profile?.url ?? DEFAULT_SERVER;
  const ownToken =
    profile !== undefined && (server === undefined || server === profile.url) ? profile.token : undefined;
  return openConnection({
    url,
    token: tokenOf(streams) ?? ownToken,
    caFile: flags.caFile ?? given(streams, 'STEWARD_CA_FILE') ?? profile?.caFile,
  });
}

/** Connects if there is a token or a profile. */
export function openSignedIn(streams: Streams, flags: RemoteFlags): Connection | undefined {
  const profile = readProfile(profilePath(streams, profileName(streams, flags)));
  return profile === undefined && tokenOf(streams) === undefined ? undefined : connect(streams, flags);
}

export function readBytes(flag: string, path: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw new CommandFailure('usage', `${flag}: ${reasonOf(error)}`);
  }
}

function readText(flag: string, path: string): string {
  return Buffer.from(readBytes(flag, path)).toString();
}

/** Reads a secret from a file, from standard input (-), or from a person. */
export async function readSecret(streams: Streams, name: string, file: string | undefined): Promise<string> {
  if (file === '-') return (await streams.readInput()).replace(/\r?\n$/, '');
  if (file !== undefined) return readText(`--${name}-file`, file).replace(/\r?\n$/, '');
  if (streams.canAsk) return streams.ask(`${name.replaceAll('-', ' ')}: `, 'secret');
  throw new CommandFailure(
    'usage',
    `--${name}-file is required, because no one can type it here. - reads standard input.`,
  );
}

async function documentText(streams: Streams, flag: string, path: string): Promise<string> {
  return path === '-' ? streams.readInput() : readText(flag, path);
}

/** Reads fields and files from the arguments and flags of a command. */
async function readGiven(
  command: RemoteCommand,
  args: Readonly<Record<string, string>>,
  options: GivenOptions,
  streams: Streams,
): Promise<Given> {
  const fields: Record<string, string> = {};
  const files: Record<string, SentFile> = {};
  const extra: Record<string, string | true> = {};
  const take = async (name: string, flag: string, value: unknown): Promise<void> => {
    const field = command.operation.fields[name];
    const isPresent = value !== undefined;
    const kind = field === undefined ? 'text' : kindOf(command, name, field);
    const text = typeof value === 'string' ? value : 'true';
    if (kind === 'secret') {
      if (isPresent || field?.isRequired === true)
        fields[name] = await readSecret(streams, nameOf(name), isPresent ? text : undefined);
    } else if (!isPresent) return;
    else if (kind === 'file') files[name] = { name: basename(text), bytes: readBytes(flag, text) };
    else if (kind === 'document') fields[name] = await documentText(streams, flag, text);
    else if (field === undefined) extra[name] = text;
    else fields[name] = text;
  };
  for (const name of command.arguments ?? []) await take(name, `<${nameOf(name)}>`, args[name]);
  for (const [name, field] of flagFields(command)) {
    const flag = flagOf(command, name, field);
    await take(name, flag.split(' ')[0] ?? flag, options[optionKey(flag)]);
  }
  for (const { flag } of command.flags ?? []) {
    const value = options[optionKey(flag)];
    if (typeof value === 'string' || value === true) extra[optionKey(flag)] = value;
  }
  return { fields, files, extra };
}

function pathOf({ operation }: RemoteCommand, args: Readonly<Record<string, string>>): Address {
  const names = pathParts(operation).map((name) => [name, pathPart(name, args[name] ?? '')] as const);
  return at(templateOf(operation), Object.fromEntries(names));
}

function requireAll({ operation, omit = [] }: RemoteCommand, fields: FormFields, files: Given['files']): void {
  for (const [name, { isRequired }] of Object.entries(operation.fields))
    if (isRequired && !(name in fields) && !(name in files) && !omit.includes(name))
      throw new CommandFailure('usage', `--${nameOf(name)} is required.`);
}

async function confirm(streams: Streams, flags: RemoteFlags, question: string): Promise<void> {
  if (flags.yes === true) return;
  if (!streams.canAsk) throw new CommandFailure('usage', `${question} Confirm it with --yes.`);
  const typed = (await streams.ask(`${question} [y/N] `)).trim().toLowerCase();
  if (typed !== 'y' && typed !== 'yes') throw new CommandFailure('failed', 'Nothing was changed.');
}

/** The flags of a command, with what -o says. */
function readFlags(command: RemoteCommand, options: GivenOptions): RemoteFlags {
  const { output } = options;
  if (typeof output !== 'string' || !hasOutputForm(command)) return options;
  if (options.json === true || options.quiet === true)
    throw new CommandFailure('usage', 'Give one of -o, --json and --quiet.');
  return { ...options, ...readOutputForm(output, command.view, command.operation.answer) };
}

function uploadProgress(streams: Streams, flags: RemoteFlags, files: Given['files']) {
  const size = Object.values(files).reduce((sum, { bytes }) => sum + bytes.length, 0);
  const isQuiet = flags.quiet === true || flags.json === true || size < SMALL_FILE;
  return createProgress({ streams, clock: systemClock, isQuiet, amount: bytesText });
}

/** What a person confirms before the command, with its gaps filled; undefined if nothing. */
function questionOf(
  { asks }: RemoteCommand,
  fields: Readonly<Record<string, string>>,
  gaps: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const question = typeof asks === 'function' ? asks(fields) : asks;
  return question?.replace(/\{(\w+)\}/g, (_match, name: string) => gaps[name] ?? '');
}

/** Runs a command and returns its exit code. Throws `CommandFailure`. */
export async function runRemote(
  command: RemoteCommand,
  args: Readonly<Record<string, string>>,
  options: GivenOptions,
  streams: Streams,
): Promise<Exit> {
  const { operation } = command;
  const flags = readFlags(command, options);
  const path = pathOf(command, args);
  const read = await readGiven(command, args, options, streams);
  const fields = command.prepare?.(read) ?? read.fields;
  if (command.run === undefined) requireAll(command, fields, read.files);
  const question = questionOf(command, fields, { ...read.fields, ...args });
  if (question !== undefined) await confirm(streams, flags, question);
  const connection = connect(streams, flags);
  const method = isRead(operation, fields) ? 'GET' : 'POST';
  const run: CommandRun = {
    path,
    given: { ...read, fields },
    flags,
    streams,
    clock: systemClock,
    connection,
    async call(sent = { fields, files: read.files }) {
      const hasFiles = Object.keys(sent.files).length > 0;
      const progress = uploadProgress(streams, flags, sent.files);
      const upload = hasFiles ? { files: sent.files, onSent: progress.update } : {};
      try {
        return await connection.call({ method, path, fields: sent.fields, ...upload });
      } finally {
        progress.end();
      }
    },
    confirm: (text) => confirm(streams, flags, text),
    readDocument: (flag, file) => documentText(streams, flag, file),
    print: (view, answer, shape) => printAnswer(streams, flags, view, answer, shape),
  };
  try {
    if (command.run !== undefined) return await command.run(run);
    const answer = await run.call();
    run.print(command.view, answer, operation.answer);
    return command.outcome?.(answer) ?? 'done';
  } finally {
    await connection.close();
  }
}

/** The arguments of a command in their order: the parts of the path, then those that the row names. */
export function argumentsOf(command: RemoteCommand): readonly string[] {
  return [...pathParts(command.operation), ...(command.arguments ?? [])];
}
