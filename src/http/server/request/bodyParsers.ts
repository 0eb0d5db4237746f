import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { StewardError } from '../../../foundation/errors.ts';
import type { Edge } from '../edge.ts';
import type { Form } from './form.ts';
import { parseEncodedBody } from './form.ts';
import { parseJsonBody } from './jsonBody.ts';
import { readMultipart } from './multipart.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The fields of a route that take a file. */
    fileFields?: ReadonlySet<string> | undefined;
  }
}

const NO_FILE_FIELDS: ReadonlySet<string> = new Set();

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

/** Forms and JSON objects are the only bodies that the server reads, apart from SOAP envelopes. */
export function addBodyParsers(app: FastifyInstance, edge: Edge): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  for (const [type, parse] of Object.entries(PARSERS)) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body: Buffer, parsed) => {
      try {
        refuseEncoding(request);
        parsed(null, parse(body));
      } catch (error) {
        parsed(error as Error);
      }
    });
  }
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) => {
    refuseEncoding(request);
    const { fileFields = NO_FILE_FIELDS } = request.routeOptions.config;
    const { form, files } = await readMultipart(request.headers, payload, {
      fileFields,
      isAuthentic: (token) => edge.isAuthentic(request, token),
    });
    request.sentFiles = files;
    return form;
  });
}
