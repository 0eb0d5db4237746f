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

/** Makes the error for a field that was parsed, but whose value a rule refuses. */
export function invalidField(field: string, problem: string): StewardError {
  return new StewardError('invalid', 'The request has an invalid field.', { details: [`${field}: ${problem}`] });
}

/** Returns the text of a caught value, for logs and for error messages. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
