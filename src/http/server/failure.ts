import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../foundation/errors.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { Log } from '../../foundation/log.ts';
import { STATUSES, errorBody } from '../../wire/answers/errorBody.ts';
import { dropRest } from './request/receiveBody.ts';
import { formOf } from './request/form.ts';
import { formatOf } from './request/format.ts';
import type { Site } from './pathPrefix.ts';
import type { Fail } from './registerRoute.ts';
import { sendBody } from './send.ts';

/** Clients of the compat interface look for errors in the body of an answer with status 200; pages have their real status. */
type FailureStyle = 'plain' | 'compat';

/** Errors of the framework and its parsers, by their codes. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'tooLarge',
    'The body is too large: a form may have at most 1 MiB, a SOAP request at most 64 KiB.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupportedMedia',
    'Send application/x-www-form-urlencoded, multipart/form-data or application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid', 'The body is not as long as Content-Length says.'],
};

function asStewardError(error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  const { code, statusCode } = isObject(error) ? error : {};
  const known = typeof code === 'string' ? FRAMEWORK_ERRORS[code] : undefined;
  if (known !== undefined) return new StewardError(...known);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new StewardError('invalid', 'The request cannot be read.');
  const message = 'Internal error. The server log has the reason under the X-Request-Id of this response.';
  return new StewardError('internal', message, { cause: error });
}

function logFailure(log: Log, requestId: string, error: StewardError): void {
  const cause: unknown = error.cause;
  if (error.code === 'internal') {
    const stack = cause instanceof Error ? cause.stack : undefined;
    log.error({ requestId, reason: reasonOf(cause), stack }, error.message);
  } else if (error.code === 'unavailable') log.error({ requestId, reason: reasonOf(cause ?? error) }, error.message);
}

/** Where a person wanted to go. Only what was read by its address can be read again. */
function nextOf({ method, originalUrl, body }: FastifyRequest, isSignIn: boolean, { prefix }: Site): string {
  const { next } = formOf(body);
  if (isSignIn) return typeof next === 'string' ? next : '';
  return method === 'GET' ? prefix + originalUrl : '';
}

/** Makes error handlers that answer in the caller's format. What the caller cannot help is logged. */
export function createFail(log: Log, root: string, site: Site) {
  return (style: FailureStyle): Fail =>
    (thrown, request, reply) => {
      const error = asStewardError(thrown);
      logFailure(log, request.id, error);
      dropRest(request, reply, error);
      const format = formatOf(request, formOf(request.body), formOf(request.query));
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
      reply.status(style === 'compat' && format !== 'html' ? 200 : STATUSES[error.code].http);
      const isSignIn = request.originalUrl.split('?', 1)[0] === `${root}/login`;
      const asksToSignIn = isSignIn || error.code === 'tokenMissing' || error.code === 'tokenInvalid';
      sendBody(reply, format, {
        title: asksToSignIn ? 'Sign in' : 'The request failed',
        about: asksToSignIn ? `${error.message} Sign in to go on.` : '',
        body: errorBody(error.code, error.message, error.details),
        site,
        signInFor: asksToSignIn ? nextOf(request, isSignIn, site) : undefined,
      });
    };
}
