import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Edge } from '../edge.ts';
import { parseEncodedBody } from './form.ts';
import { readMultipart } from './multipart.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The fields of a route that take a file. */
    fileFields?: ReadonlySet<string> | undefined;
  }
}

const NO_FILE_FIELDS: ReadonlySet<string> = new Set();

/** Forms are the only bodies that the server reads, apart from SOAP envelopes. */
export function addBodyParsers(app: FastifyInstance, edge: Edge): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, body: Buffer, parsed) => {
      try {
        parsed(null, parseEncodedBody(body));
      } catch (error) {
        parsed(error as Error);
      }
    },
  );
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { fileFields = NO_FILE_FIELDS } = request.routeOptions.config;
    const { form, files } = await readMultipart(request.headers, payload, {
      fileFields,
      isAuthentic: (token) => edge.isAuthentic(request, token),
    });
    request.sentFiles = files;
    return form;
  });
}
