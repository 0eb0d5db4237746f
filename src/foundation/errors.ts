/** All failures that a caller can meet. An error of another class is a bug, and the caller sees "internal". */
export type ErrorCode =
  | 'invalid'
  | 'tokenMissing'
  | 'tokenInvalid'
  | 'forbidden'
  | 'notFound'
  | 'methodNotAllowed'
  | 'requestTimeout'
  | 'conflict'
  | 'tooLarge'
  | 'headTooLarge'
  | 'unsupportedMedia'
  | 'throttled'
  | 'internal'
  | 'readOnly'
  | 'unavailable';

interface StewardErrorOptions {
  readonly details?: readonly string[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

export class StewardError extends Error {
  override readonly name = 'StewardError';
  readonly code: ErrorCode;
  readonly details: readonly string[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: StewardErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Whether the same request can succeed later, without a change of what was asked for. */
export function mayPass({ code, retryAfterSeconds }: StewardError): boolean {
  return code === 'unavailable' || retryAfterSeconds !== undefined;
}

/** Makes the error for a request with problems, each of which names its field. */
export function invalidRequest(problems: readonly string[]): StewardError {
  const message = problems.length === 1 ? 'The request has an invalid field.' : 'The request has invalid fields.';
  return new StewardError('invalid', message, { details: problems });
}

/** Makes the error for a field that was parsed, but whose value a rule refuses. */
export function invalidField(field: string, problem: string): StewardError {
  return invalidRequest([`${field}: ${problem}`]);
}

/** Makes the error for something that does not exist under a name. */
export function noSuchName(what: string, name: string): StewardError {
  return new StewardError('notFound', `No ${what} named \`${name}\`.`);
}

/** Makes the error for something that does not exist under an id. */
export function noSuchId(what: string, id: string, hint = ''): StewardError {
  return new StewardError('notFound', `No ${what} with the id \`${id}\`.${hint}`);
}

/** Returns the text of a caught value, for logs and for error messages. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
