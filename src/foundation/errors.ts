/** Everything that can go wrong for a caller. Anything that is not a StewardError is a bug and reads "internal". */
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

/** A field that was read, but whose value the rules refuse. */
export function invalidField(field: string, problem: string): StewardError {
  return new StewardError('invalid', 'The request has an invalid field.', { details: [`${field}: ${problem}`] });
}

/** The text of a caught value, for logs and for errors of ours. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
