import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../foundation/errors.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { STATUSES, errorBody } from '../../wire/answers/errorBody.ts';
import type { Form } from './form.ts';
import { formatOf, send } from './format.ts';

/** What the server and its parsers throw, by their codes. */
const THROWN: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['tooLarge', 'The body is too large: a form has at most 1 MiB, a SOAP request 64 KiB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupportedMedia',
    'Send application/x-www-form-urlencoded or multipart/form-data.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid', 'The body is not as long as Content-Length says.'],
};

function thrownByParser(error: unknown): StewardError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const known = 'code' in error ? THROWN[String(error.code)] : undefined;
  if (known !== undefined) return new StewardError(known[0], known[1]);
  const status = 'statusCode' in error ? Number(error.statusCode) : 0;
  if (status >= 400 && status < 500) return new StewardError('invalid', 'The request cannot be read.');
  return undefined;
}

function asStewardError(error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  return (
    thrownByParser(error) ??
    new StewardError('internal', 'Internal error. The log has the reason under this request id.', { cause: error })
  );
}

export function sendFailure(options: {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly error: unknown;
  readonly body: Form;
  readonly query: Form;
  /** The dialect whose clients look for errors below HTTP 200. */
  readonly isCompat: boolean;
  readonly log: Log;
  readonly root: string;
}): FastifyReply {
  const { request, reply, log } = options;
  const error = asStewardError(options.error);
  const cause: unknown = error.cause;
  if (error.code === 'internal') {
    log.error(
      { requestId: request.id, reason: reasonOf(cause), stack: cause instanceof Error ? cause.stack : undefined },
      error.message,
    );
  } else if (error.code === 'unavailable')
    log.error({ requestId: request.id, reason: reasonOf(cause ?? error) }, error.message);
  const format = formatOf(request, options.body, options.query);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  reply.status(options.isCompat && format !== 'html' ? 200 : STATUSES[error.code].http);
  const isSignedOut = error.code === 'tokenMissing' || error.code === 'tokenInvalid';
  return send(reply, format, {
    title: isSignedOut ? 'Sign in' : 'That did not work',
    body: errorBody(error.code, error.message, error.details),
    home: options.root,
    asksToSignIn: isSignedOut,
  });
}
