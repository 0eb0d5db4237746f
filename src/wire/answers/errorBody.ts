import type { ErrorCode } from '../../foundation/errors.ts';
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type { ERROR } from './commonAnswers.ts';

/** The status of each error: `http` in the status line, `code` in the body. The CLI maps the codes back to errors. */
export const STATUSES = {
  invalid: { http: 400, code: 400 },
  tokenInvalid: { http: 401, code: 498 },
  tokenMissing: { http: 401, code: 499 },
  forbidden: { http: 403, code: 403 },
  notFound: { http: 404, code: 404 },
  methodNotAllowed: { http: 405, code: 405 },
  requestTimeout: { http: 408, code: 408 },
  conflict: { http: 409, code: 409 },
  tooLarge: { http: 413, code: 413 },
  headTooLarge: { http: 431, code: 431 },
  unsupportedMedia: { http: 415, code: 415 },
  throttled: { http: 429, code: 429 },
  internal: { http: 500, code: 500 },
  readOnly: { http: 503, code: 503 },
  unavailable: { http: 503, code: 503 },
} as const satisfies Record<ErrorCode, { readonly http: number; readonly code: number }>;

export type ErrorBody = ShapeType<typeof ERROR>;

export function errorBody(code: ErrorCode, message: string, details: readonly string[]): ErrorBody {
  return { status: 'error', error: { code: STATUSES[code].code, message, details } };
}
