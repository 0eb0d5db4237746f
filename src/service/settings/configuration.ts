// Reads the configuration from flags, environment and file, by the table in settings.ts. A mistake does not stop the reading:
// all of them are reported together.

import { readFileSync } from 'node:fs';
import { reasonOf } from '../../foundation/errors.ts';
import { isObject } from '../../foundation/schema/json.ts';
import { readYaml } from '../../wire/documents/yaml.ts';
import type { FieldResult } from '../../wire/fields/fields.ts';
import { invalid, valid } from '../../wire/fields/fields.ts';
import { hasPassword } from '../../store/postgresAddress.ts';
import { exposure } from './secretFile.ts';
import type { Setting, Settings } from './settings.ts';
import { readFileVariable } from './fileVariable.ts';
import { prefixProblem } from './settingReaders.ts';
import { SETTINGS, fileVariableOf, flagOf, variableOf } from './settings.ts';

/** Names all mistakes of a configuration, one per line. The exit code is 2: a start with the same settings fails again. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[], summary?: string) {
    super(summary ?? (problems.length === 1 ? 'One setting is invalid.' : `${problems.length} settings are invalid.`));
    this.problems = problems;
  }
}

interface GivenValue {
  readonly text: string;
  /** Where it was given, for error messages. */
  readonly from: string;
}

export interface Configuration {
  readonly settings: Settings;
  /** Probable mistakes that do not keep Steward from starting. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const KEYS = Object.keys(SETTINGS) as readonly (keyof Settings)[];
const BY_VARIABLE = new Map(KEYS.map((key) => [variableOf(key), key]));
const BY_FILE_VARIABLE = new Map(KEYS.filter(isSecret).map((key) => [fileVariableOf(key), key]));
/** Kubernetes sets these variables in every pod of a namespace with a Service named "steward". */
const SERVICE_LINK = /^STEWARD_(SERVICE_|PORT_)/;
/** Variables of the other commands, and of the tests. */
const OTHER_VARIABLES =
  /^STEWARD_((CONFIG|SERVER|TOKEN|TOKEN_FILE|PROFILE|CA_FILE|LISTEN_SECRET|LISTEN_SECRET_FILE)$|TEST_|SOAK_)/;

interface Found {
  readonly given: Map<string, GivenValue>;
  readonly problems: string[];
  readonly warnings: string[];
}

/** Takes the value of a secret from the file that its variable names, unless a flag gives it. */
function addFileVariable(
  key: keyof Settings,
  path: string,
  environment: Environment,
  { given, problems }: Found,
): void {
  const [variable, fileVariable] = [variableOf(key), fileVariableOf(key)];
  if ((environment[variable] ?? '') !== '') {
    problems.push(`${variable} and ${fileVariable} in the environment: set one of them, not both`);
    return;
  }
  if (given.has(key)) return;
  const read = readFileVariable(key, path);
  if (read.kind === 'invalid') {
    problems.push(read.problem);
    return;
  }
  given.set(key, { text: read.value, from: `${fileVariable} in the environment, the file "${path}"` });
  const exposed = isSecretValue(key, read.value) ? exposure(path) : undefined;
  if (exposed !== undefined) problems.push(`${fileVariable}: ${exposed}`);
}

function addEnvironment(environment: Environment, found: Found): void {
  const { given, warnings } = found;
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith('STEWARD_') || text === undefined || text === '') continue;
    const secret = BY_FILE_VARIABLE.get(variable);
    if (secret !== undefined) {
      addFileVariable(secret, text, environment, found);
      continue;
    }
    const key = BY_VARIABLE.get(variable);
    const isServiceLink = SERVICE_LINK.test(variable) || (variable === 'STEWARD_PORT' && text.startsWith('tcp://'));
    if (isServiceLink || OTHER_VARIABLES.test(variable)) continue;
    if (key === undefined)
      warnings.push(`${variable} in the environment: unknown setting; docs/configuration.md lists all settings`);
    else if (!given.has(key)) given.set(key, { text, from: `${variable} in the environment` });
  }
}

function readSettingsFile(file: string): FieldResult<unknown> {
  try {
    return readYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    return invalid(`cannot be read: ${reasonOf(error)}`);
  }
}

function isSecret(key: keyof Settings): boolean {
  const row: Setting = SETTINGS[key];
  return row.isSecret === true;
}

/** The address of a store is a secret only if it contains a password. */
function isSecretValue(key: keyof Settings, text: string): boolean {
  return isSecret(key) && (key !== 'store' || (text !== 'sqlite' && hasPassword(text)));
}

/** A mapping is never the value of a setting. Its own methods, which may throw, do not convert it. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function addFile(file: string, { given, problems }: Found): void {
  const read = readSettingsFile(file);
  if (read.kind === 'invalid') {
    problems.push(`${file}: ${read.problem}`);
    return;
  }
  const content = read.value ?? {};
  if (!isObject(content)) {
    problems.push(`${file}: must be a YAML mapping such as "port: 6080"`);
    return;
  }
  let hasSecret = false;
  for (const [name, value] of Object.entries(content)) {
    const bareName = name.replace(/^steward_/i, '').replaceAll('-', '_');
    const key = BY_VARIABLE.get(`STEWARD_${bareName.toUpperCase()}`);
    const text = textOf(value);
    if (key === undefined)
      problems.push(`${name} in ${file}: unknown setting; docs/configuration.md lists all settings`);
    else if (!given.has(key) && value !== null) given.set(key, { text, from: `${name} in ${file}` });
    if (key !== undefined && isSecretValue(key, text)) hasSecret = true;
  }
  const exposed = hasSecret ? exposure(file) : undefined;
  if (exposed !== undefined) problems.push(exposed);
}

/** Reads all settings. Flags take precedence over the environment, which takes precedence over the file. Reports all mistakes. */
export function readConfiguration(sources: {
  readonly flags: Readonly<Record<string, string>>;
  readonly environment: Environment;
  readonly file: string | undefined;
}): Configuration {
  const given = new Map<string, GivenValue>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [key, text] of Object.entries(sources.flags)) given.set(key, { text, from: `--${flagOf(key)}` });
  addEnvironment(sources.environment, { given, problems, warnings });
  if (sources.file !== undefined) addFile(sources.file, { given, problems, warnings });
  const settings: Record<string, unknown> = {};
  for (const key of KEYS) {
    const row: Setting = SETTINGS[key];
    const source = given.get(key);
    const read = source === undefined ? valid(row.defaultValue) : row.read(source.text);
    if (read.kind === 'valid') settings[key] = read.value;
    else problems.push(`${source?.from}: ${read.problem}${isSecret(key) ? '' : `, not "${source?.text}"`}`);
  }
  if ((settings['tlsCert'] === undefined) !== (settings['tlsKey'] === undefined)) {
    problems.push('STEWARD_TLS_CERT and STEWARD_TLS_KEY: set both, or neither');
  }
  const { publicUrl, root } = settings;
  const conflict =
    typeof publicUrl === 'string' && typeof root === 'string' ? prefixProblem(publicUrl, root) : undefined;
  if (conflict !== undefined) problems.push(`${given.get('publicUrl')?.from}: ${conflict}`);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { settings: settings as Settings, warnings };
}
