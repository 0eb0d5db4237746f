import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StewardError } from '../../foundation/errors.ts';
import type { Dialect } from '../../wire/soap/catalogSchema.ts';
import { CATALOG_OPERATIONS, catalogWsdl, catalogXsd } from '../../wire/soap/catalogSchema.ts';
import { ENVELOPES } from '../../wire/soap/envelope.ts';
import { originOf } from '../server/handler.ts';
import { send } from '../server/format.ts';
import type { CatalogSettings } from './soap.ts';
import { sendTagged } from '../server/etag.ts';

export interface CatalogPagesNeeds {
  readonly catalog: CatalogSettings;
  readonly publicUrl: string | undefined;
  readonly root: string;
}

const KEPT = 16;

function sampleOf(operation: string, namespace: string): string {
  const content = operation === 'GetServiceDescriptionsEx' ? `<FolderName></FolderName>` : '';
  return `<e:Envelope xmlns:e="${ENVELOPES['1.1'].namespace}"><e:Body><${operation} xmlns="${namespace}">${content}</${operation}></e:Body></e:Envelope>`;
}

/** `GET` on the catalog: the WSDL and the schema for machines, a page with the operations for people. */
export function registerCatalogPages(app: FastifyInstance, { catalog, publicUrl, root }: CatalogPagesNeeds): void {
  const { namespace } = catalog;
  const documents = new Map<string, Buffer>();

  function document(key: string, make: () => string): Buffer {
    const known = documents.get(key);
    if (known !== undefined) return known;
    if (documents.size >= KEPT) documents.clear();
    const made = Buffer.from(make());
    documents.set(key, made);
    return made;
  }

  function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    dialect: Dialect,
    path: string,
  ): Promise<FastifyReply> | FastifyReply {
    const asked = new Set(Object.keys(request.query as object).map((key) => key.toLowerCase()));
    const { address: origin } = originOf(request, publicUrl);
    const type = 'text/xml; charset=utf-8';
    if (asked.has('wsdl') || asked.has('singlewsdl')) {
      return sendTagged(
        request,
        reply,
        document(`wsdl ${dialect} ${origin}`, () => catalogWsdl(namespace, dialect, origin + path)),
        type,
      );
    }
    if (asked.has('xsd'))
      return sendTagged(
        request,
        reply,
        document(`xsd ${dialect}`, () => catalogXsd(namespace, dialect)),
        type,
      );
    const operations = Object.entries(CATALOG_OPERATIONS).map(([operation, { takes, answers }]) => ({
      operation,
      takes: takes.map(([name]) => name).join(', '),
      answers: answers[0],
      'how to call it': `curl ${origin}${path} -H 'Content-Type: text/xml' -d '${sampleOf(operation, namespace)}'`,
    }));
    return send(reply, 'html', {
      title: 'The service catalog',
      about: 'A SOAP 1.1 and 1.2 service. Make a client from its WSDL, or call an operation by hand.',
      body: { WSDL: `${path}?wsdl`, schema: `${path}?xsd=1`, 'as JSON': '/rest/services', operations },
      home: root,
    });
  }

  for (const [path, dialect] of [
    ['/services', 'clean'],
    ['/compat/services', 'compat'],
  ] as const) {
    app.get(path, (request, reply) => answer(request, reply, dialect, path));
    app.route({
      method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: path,
      onRequest: async (request, reply) => {
        reply.header('allow', 'GET, HEAD, POST');
        throw new StewardError('methodNotAllowed', `${request.method} is not answered here; use POST.`);
      },
      handler: (_request, reply) => reply,
    });
  }
}
