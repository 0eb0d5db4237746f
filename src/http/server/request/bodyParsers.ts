import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { StewardError } from '../../../foundation/errors.ts';
import { LIMITS } from '../limits.ts';
import type { BodyBudget } from './bodyBudget.ts';
import type { Form } from './form.ts';
import { parseEncodedBody } from './form.ts';
import { parseJsonBody } from './jsonBody.ts';
import { readMultipart } from './multipart.ts';
import { completeBody, openBody, receiveBytes } from './receiveBody.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The fields of a route that take a file. */
    fileFields?: ReadonlySet<string> | undefined;
    /** Refuses a token that is invalid or whose role does not suffice, before the rest of the body is read. */
    checkToken?: ((request: FastifyRequest, token: string) => Promise<void>) | undefined;
  }
}

const NO_FILE_FIELDS: ReadonlySet<string> = new Set();
const NO_BYTES = Buffer.alloc(0);

const PARSERS: Readonly<Record<string, (body: Buffer) => Form>> = {
  'application/x-www-form-urlencoded': parseEncodedBody,
  'application/json': parseJsonBody,
};

/** A compressed form would be read as damaged text. Only SOAP envelopes may be compressed. */
function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return;
  const message = `The Content-Encoding ${encoding.slice(0, 100)} is not supported here; send the body uncompressed.`;
  throw new StewardError('unsupportedMedia', message);
}

/** What clients send as the type of a form. Any other spelling is left to fastify. */
const FORM_TYPE = /^(application\/(?:x-www-form-urlencoded|json))(?:; ?charset=utf-8)?$/i;

/** Returns the parser of a form or a JSON object that is sent in the usual way. */
export function formParserOf({ headers }: FastifyRequest): ((body: Buffer) => Form) | undefined {
  const type = FORM_TYPE.exec(headers['content-type'] ?? '')?.[1];
  return type === undefined || headers['content-encoding'] !== undefined ? undefined : PARSERS[type.toLowerCase()];
}

/** Forms and JSON objects are the only bodies that the server reads, apart from SOAP envelopes. */
export function addBodyParsers(app: FastifyInstance, budget: BodyBudget): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  for (const [type, parse] of Object.entries(PARSERS)) {
    app.addContentTypeParser(type, (request, _payload, parsed) => {
      receiveBytes(budget, request, LIMITS.form, (failure, bytes) => {
        try {
          if (failure !== null) throw failure;
          refuseEncoding(request);
          parsed(null, parse(bytes ?? NO_BYTES));
        } catch (error) {
          parsed(error as Error);
        }
      });
    });
  }
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) => {
    refuseEncoding(request);
    const { fileFields = NO_FILE_FIELDS, checkToken } = request.routeOptions.config;
    const { form, files } = await readMultipart(request.headers, payload, {
      fileFields,
      isTrusted: request.isTrusted,
      open: (onLate) => openBody(budget, request, fileFields.size > 0, onLate),
      onComplete: (size) => completeBody(request, size),
      checkToken: checkToken && ((token) => checkToken(request, token)),
    });
    request.sentFiles = files;
    return form;
  });
}
