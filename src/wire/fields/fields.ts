// The fields of an operation, and the readers that turn the text of a form field into a value. A reader also describes
// its field as JSON Schema, for the OpenAPI document. JSON documents have their own schemas (foundation/schema).
import { isPrintable, nameProblem, textProblem } from '../../foundation/schema/text.ts';
import { PASSWORD_RULE, passwordProblem } from '../../model/password.ts';
import { usernameProblem } from '../../model/username.ts';

export type FieldResult<T> = { readonly kind: 'valid'; readonly value: T } | InvalidField;

export interface InvalidField {
  readonly kind: 'invalid';
  readonly problem: string;
  /** Further problems, if the field is a document. */
  readonly more?: readonly string[];
}

/** A part of a multipart form, as it was sent. */
export interface SentFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface FieldReader<T> {
  readonly read: (text: string) => FieldResult<T>;
  /** For fields that take a file with its name. All other fields take the text of a file. */
  readonly readFile?: (file: SentFile) => FieldResult<T>;
  /** Set if an empty file is an error, even where the field is optional. Otherwise it counts as absent. */
  readonly refusesEmptyFile?: true;
  /** Set if an error must not repeat the value. */
  readonly isSecret?: true;
  /** JSON Schema, for the OpenAPI document. */
  readonly schema: JsonSchema;
  /** JSON Schema of the value in a JSON body, if it may be something other than a text there. */
  readonly json?: JsonSchema;
}

export interface Field<T = unknown, N extends boolean = boolean> {
  readonly reader: FieldReader<T>;
  readonly isRequired: N;
  readonly description: string;
}

export type Fields = Readonly<Record<string, Field>>;

export type FieldValues<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, infer N> ? (N extends true ? T : T | undefined) : never;
};

export function required<T>(reader: FieldReader<T>, description: string): Field<T, true> {
  return { reader, isRequired: true, description };
}

export function optional<T>(reader: FieldReader<T>, description: string): Field<T, false> {
  return { reader, isRequired: false, description };
}

export function valid<T>(value: T): FieldResult<T> {
  return { kind: 'valid', value };
}

export function invalid(problem: string): InvalidField {
  return { kind: 'invalid', problem };
}

/** Each problem of a document becomes a detail of the answer. There is at least one. */
export function invalidDocument([problem = 'is invalid', ...more]: readonly string[]): InvalidField {
  return more.length === 0 ? invalid(problem) : { kind: 'invalid', problem, more };
}

/** All problems of a field. */
export function problemsOf({ problem, more = [] }: InvalidField): readonly string[] {
  return [problem, ...more];
}

function checkedText(schema: JsonSchema, problemOf: (given: string) => string | undefined): FieldReader<string> {
  return {
    schema,
    read(given) {
      const problem = problemOf(given);
      return problem === undefined ? valid(given) : invalid(problem);
    },
  };
}

export function text(maxLength: number): FieldReader<string> {
  return checkedText({ type: 'string', maxLength }, (given) => textProblem(given, maxLength));
}

/** A name that people choose and read. It stays on its line. */
export function label(maxLength: number): FieldReader<string> {
  return checkedText({ type: 'string', maxLength }, (given) => nameProblem(given, maxLength));
}

/** Accepts any characters except NUL, which PostgreSQL cannot store. */
export function password(minLength: number): FieldReader<string> {
  return {
    isSecret: true,
    schema: { type: 'string', format: 'password', minLength, maxLength: 256 },
    read(given) {
      if (given.length < minLength || given.length > 256) return invalid(`must have ${minLength} to 256 characters`);
      return given.includes('\u0000') ? invalid('must not contain a NUL character') : valid(given);
    },
  };
}

/** A password that is set. It follows the rule for new passwords. */
export const newPassword: FieldReader<string> = {
  isSecret: true,
  ...checkedText(
    { type: 'string', format: 'password', minLength: 8, maxLength: 256, description: PASSWORD_RULE },
    passwordProblem,
  ),
};

const INTEGER = /^(?:0|-?[1-9]\d*)$/;

export function integer(minimum: number, maximum: number): FieldReader<number> {
  const range = `must be a whole number from ${minimum} to ${maximum} in plain digits`;
  const schema = { type: 'integer', minimum, maximum };
  return {
    schema,
    json: schema,
    read(given) {
      const value = INTEGER.test(given) ? Number(given) : Number.NaN;
      return Number.isSafeInteger(value) && value >= minimum && value <= maximum ? valid(value) : invalid(range);
    },
  };
}

const YEAR_2000 = Date.UTC(2000, 0, 1);
/** The latest date of JavaScript. */
const LATEST = 8_640_000_000_000_000;
/** A date, or a date with time and zone. Without a zone, a time would depend on where the server runs. */
const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?))?$/i;
const TIME_RULE =
  'must be a time after 1999: ISO 8601 with a zone, such as 2026-11-15T08:00:00Z, or milliseconds since 1970';

/** Date.parse accepts 2026-02-30 and takes it for a day in March. */
function isRealDay(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

/** The time in the only form that Date.parse must understand: a point before the fraction, and a colon in the zone. */
function parseIso(given: string): number {
  if (!ISO_8601.test(given) || !isRealDay(given.slice(0, 10))) return Number.NaN;
  const zoned = given
    .toUpperCase()
    .replace(',', '.')
    .replace(/([+-]\d\d):?(\d\d)?$/, '$1:$2');
  return Date.parse(given.length === 10 ? given : zoned.replace(/:$/, ':00'));
}

/** A time before 2000 is refused, because seconds that are read as milliseconds would be a day in January 1970. */
export const instant: FieldReader<number> = {
  schema: { type: 'string', description: 'ISO 8601 with a zone, or milliseconds since 1970; after 1999' },
  json: { type: ['string', 'integer'], description: 'ISO 8601 with a zone, or milliseconds since 1970; after 1999' },
  read(given) {
    const at = INTEGER.test(given) ? Number(given) : parseIso(given);
    if (at >= YEAR_2000 && at <= LATEST) return valid(at);
    const meaning = at >= 0 && at < YEAR_2000 ? `; ${given} is ${new Date(at).toISOString()}` : '';
    return invalid(`${TIME_RULE}${meaning}`);
  },
};

const MAX_FILE_NAME = 255;

const CONTENT_TYPE = /^[\x20-\x7e]{0,255}$/;

/** Accepts any file. Its name and its type are only shown. The name is never used as a path, and loses its folders. */
export const file: FieldReader<SentFile> = {
  schema: { type: 'string', format: 'binary' },
  read: () => invalid('must be sent as a file in a multipart form'),
  readFile(sent) {
    const name = (sent.name.split(/[\\/]/).at(-1) ?? '').trim();
    if (name === '') return invalid('must have a file name');
    if (name.length > MAX_FILE_NAME) return invalid(`must have a file name of at most ${MAX_FILE_NAME} characters`);
    const problem = nameProblem(name, MAX_FILE_NAME);
    if (problem !== undefined) return invalid(`its file name ${problem}`);
    if (!CONTENT_TYPE.test(sent.contentType))
      return invalid('must have a content type of at most 255 printable ASCII characters, such as application/json');
    if (sent.bytes.length === 0) return invalid('must not be empty');
    return valid({ ...sent, name });
  },
};

export const boolean: FieldReader<boolean> = {
  schema: { type: 'string', enum: ['true', 'false', 'True', 'False'] },
  json: { type: 'boolean' },
  read(given) {
    if (given === 'true' || given === 'True') return valid(true);
    if (given === 'false' || given === 'False') return valid(false);
    return invalid('must be true or false');
  },
};

export function choice<const C extends string>(choices: readonly C[]): FieldReader<C> {
  return {
    schema: { type: 'string', enum: choices },
    read(given) {
      const value = choices.find((one) => one === given);
      return value === undefined ? invalid(`must be one of ${choices.join(', ')}`) : valid(value);
    },
  };
}

const MAX_PATTERN_LENGTH = 500;

function pattern(shape: RegExp, rule: string): FieldReader<string> {
  return {
    schema: { type: 'string', pattern: shape.source },
    read(given) {
      // Check the length first: normalization takes time that grows with the square of the length.
      const value = given.length > MAX_PATTERN_LENGTH ? '' : given.normalize('NFC');
      return shape.test(value) ? valid(value) : invalid(rule);
    },
  };
}

const NAME = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.-]{0,119}$/u;

/** The name of a service or a folder. */
export const name = pattern(NAME, 'must be 1 to 120 letters, digits, "_", "-" or ".", without a dot at the start');

/** `reserved` is called when a name is read, because tables of operations refer to one another. */
export function nameOtherThan(reserved: () => readonly string[]): FieldReader<string> {
  return {
    schema: name.schema,
    read: (given) =>
      reserved().includes(given)
        ? invalid(`must not be "${given}", which is reserved for an operation; choose another name`)
        : name.read(given),
  };
}

/** A type has no dot: the last dot of an address separates the name of a service from its type. */
export const serviceType = pattern(
  /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]{0,119}$/u,
  'must be 1 to 120 letters, digits, "_" or "-"',
);

export const serviceLabel = pattern(
  /^(?:[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.-]{0,119}\/)?[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.-]{0,119}\.[\p{L}\p{M}\p{N}_-]{1,120}$/u,
  'must be "name.type" or "folder/name.type"',
);

export function username(reserved: readonly string[]): FieldReader<string> {
  const shape = pattern(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.@-]{0,63}$/u,
    'must be 1 to 64 letters, digits, "_", "-", "." or "@", beginning with a letter or digit',
  );
  return {
    schema: shape.schema,
    read(given) {
      const result = shape.read(given);
      if (result.kind === 'invalid') return result;
      const value = result.value.toLowerCase();
      return reserved.includes(value) ? invalid(`must not be "${given}", which is reserved`) : valid(value);
    },
  };
}

/** The name of a user who is created. It must not be taken for another one. */
export function newUsername(reserved: readonly string[]): FieldReader<string> {
  const shape = username(reserved);
  return {
    schema: shape.schema,
    read(given) {
      const result = shape.read(given);
      const problem = result.kind === 'valid' ? usernameProblem(result.value) : undefined;
      return problem === undefined ? result : invalid(problem);
    },
  };
}

export const webAddress: FieldReader<string> = {
  schema: { type: 'string', format: 'uri', maxLength: 2048 },
  read(given) {
    const isAddress = given.length <= 2048 && isPrintable(given) && !/\s/.test(given) && URL.canParse(given);
    return isAddress && /^https?:$/.test(new URL(given).protocol)
      ? valid(given)
      : invalid('must be an http or https address of at most 2048 characters, such as https://host/path');
  },
};
