/** What a text says, or what is wrong with it and what would be right. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** A part of a multipart form, as it was sent. */
export interface SentFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface Reader<T> {
  readonly read: (text: string) => Read<T>;
  /** Only of a field that takes a file as it is; elsewhere a file is read as its text. */
  readonly readFile?: (file: SentFile) => Read<T>;
  /** JSON Schema, for the OpenAPI description. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface Field<T = unknown, N extends boolean = boolean> {
  readonly reader: Reader<T>;
  readonly needed: N;
  readonly about: string;
}

export type Fields = Readonly<Record<string, Field>>;

export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, infer N> ? (N extends true ? T : T | undefined) : never;
};

export function needed<T>(reader: Reader<T>, about: string): Field<T, true> {
  return { reader, needed: true, about };
}

export function optional<T>(reader: Reader<T>, about: string): Field<T, false> {
  return { reader, needed: false, about };
}

/** What XML 1.0 cannot carry, and what neither store nor terminal should: control characters but tab and line ends, and halves of pairs. */
const UNPRINTABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/u;

export function text(atMost: number): Reader<string> {
  return {
    schema: { type: 'string', maxLength: atMost },
    read(given) {
      if (given.length > atMost) return { problem: `must have at most ${atMost} characters, it has ${given.length}` };
      if (UNPRINTABLE.test(given)) return { problem: 'must not contain control characters' };
      return { value: given };
    },
  };
}

/** A password: taken as it is, but for its length and the one character no store keeps. */
export function password(atLeast: number): Reader<string> {
  return {
    schema: { type: 'string', format: 'password', minLength: atLeast, maxLength: 256 },
    read(given) {
      if (given.length < atLeast || given.length > 256) return { problem: `must have ${atLeast} to 256 characters` };
      return given.includes('\u0000') ? { problem: 'must not contain a NUL character' } : { value: given };
    },
  };
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;

export function integer(atLeast: number, atMost: number): Reader<number> {
  const range = `must be a whole number from ${atLeast} to ${atMost}, written in plain digits`;
  return {
    schema: { type: 'integer', minimum: atLeast, maximum: atMost },
    read(given) {
      const value = INTEGER.test(given) ? Number(given) : Number.NaN;
      return Number.isSafeInteger(value) && value >= atLeast && value <= atMost ? { value } : { problem: range };
    },
  };
}

/** Milliseconds since the Unix epoch, as far as dates reach. */
export const instant = integer(0, 8_640_000_000_000_000);

const LONGEST_FILE_NAME = 255;

/** Any file. A name is shown and never used as a path; what a path would be made of is left out of it. */
export const file: Reader<SentFile> = {
  schema: { type: 'string', format: 'binary' },
  read: () => ({ problem: 'must be sent as a file, in a multipart form' }),
  readFile(sent) {
    const name = (sent.name.split(/[\\/]/).at(-1) ?? '').replace(/[\p{Cc}\p{Cs}]/gu, '').trim();
    if (name === '') return { problem: 'must have a file name' };
    if (name.length > LONGEST_FILE_NAME)
      return { problem: `its name must have at most ${LONGEST_FILE_NAME} characters` };
    if (sent.bytes.length === 0) return { problem: 'must not be empty' };
    return { value: { ...sent, name } };
  },
};

export const boolean: Reader<boolean> = {
  schema: { type: 'string', enum: ['true', 'false', 'True', 'False'] },
  read(given) {
    if (given === 'true' || given === 'True') return { value: true };
    if (given === 'false' || given === 'False') return { value: false };
    return { problem: 'must be true or false' };
  },
};

export function choice<const C extends string>(choices: readonly C[]): Reader<C> {
  return {
    schema: { type: 'string', enum: choices },
    read(given) {
      const value = choices.find((one) => one === given);
      return value === undefined ? { problem: `must be one of ${choices.join(', ')}` } : { value };
    },
  };
}

const LONGEST_PATTERN = 500;

function pattern(shape: RegExp, rule: string): Reader<string> {
  return {
    schema: { type: 'string', pattern: shape.source },
    read(given) {
      // The length first: to compose a long text takes time that grows with its square.
      const value = given.length > LONGEST_PATTERN ? '' : given.normalize('NFC');
      return shape.test(value) ? { value } : { problem: rule };
    },
  };
}

const NAME = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.-]{0,119}$/u;

/** Of a service or a folder. */
export const name = pattern(NAME, 'must be 1 to 120 letters, digits, "_", "-" or ".", and not begin with a dot');

export function nameOtherThan(reserved: readonly string[]): Reader<string> {
  return {
    schema: name.schema,
    read: (given) => (reserved.includes(given) ? { problem: `"${given}" is reserved` } : name.read(given)),
  };
}

/** The last dot of an address parts the name from the type, so the type has none. */
export const serviceType = pattern(
  /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]{0,119}$/u,
  'must be 1 to 120 letters, digits, "_" or "-"',
);

export const serviceLabel = pattern(
  /^(?:[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.-]{0,119}\/)?[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.-]{0,119}\.[\p{L}\p{M}\p{N}_-]{1,120}$/u,
  'must be "name.type" or "folder/name.type"',
);

export function username(reserved: readonly string[]): Reader<string> {
  const shape = pattern(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.@-]{0,63}$/u,
    'must be 1 to 64 letters, digits, "_", "-", "." or "@", beginning with a letter or digit',
  );
  return {
    schema: shape.schema,
    read(given) {
      const read = shape.read(given);
      if ('problem' in read) return read;
      const value = read.value.toLowerCase();
      return reserved.includes(value) ? { problem: `"${given}" is reserved` } : { value };
    },
  };
}

export const webAddress: Reader<string> = {
  schema: { type: 'string', format: 'uri', maxLength: 2048 },
  read(given) {
    const problem = {
      problem: 'must be an http or https address of at most 2048 characters, such as https://host/path',
    };
    if (given.length > 2048 || UNPRINTABLE.test(given) || /\s/.test(given) || !URL.canParse(given)) return problem;
    return /^https?:$/.test(new URL(given).protocol) ? { value: given } : problem;
  },
};
