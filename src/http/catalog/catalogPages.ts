import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBoundedCache } from '../../foundation/cache/boundedCache.ts';
import type { SoapDialect } from '../../wire/soap/catalogSchema.ts';
import { CATALOG_OPERATIONS, catalogWsdl, catalogXsd } from '../../wire/soap/catalogSchema.ts';
import { ENVELOPES } from '../../wire/soap/envelope.ts';
import { sendBody, sendPublic } from '../server/send.ts';
import type { CatalogDependencies } from './catalogDependencies.ts';

const DOCUMENTS_KEPT = 16;

function sampleOf(operation: string, namespace: string): string {
  const content = operation === 'GetServiceDescriptionsEx' ? `<FolderName></FolderName>` : '';
  return `<e:Envelope xmlns:e="${ENVELOPES['1.1'].namespace}"><e:Body><${operation} xmlns="${namespace}">${content}</${operation}></e:Body></e:Envelope>`;
}

/** Makes the handlers of `GET` on the SOAP catalog: WSDL and schema for machines, a page with the operations for people. */
export function createCatalogPages({ edge, settings: { namespace } }: Pick<CatalogDependencies, 'edge' | 'settings'>) {
  const documents = createBoundedCache<string, Buffer>(DOCUMENTS_KEPT);

  const { prefix } = edge.site;

  function sendPage(reply: FastifyReply, origin: string, path: string): FastifyReply {
    const operations = Object.entries(CATALOG_OPERATIONS).map(([operation, { takes, answers }]) => ({
      operation,
      takes: takes.map(([name]) => name).join(', '),
      answers: answers[0],
      'how to call it': `curl ${origin}${path} -H 'Content-Type: text/xml' -d '${sampleOf(operation, namespace)}'`,
    }));
    return sendBody(reply, 'html', {
      title: 'The service catalog',
      about: 'A SOAP 1.1 and 1.2 service. Generate a client from its WSDL, or call an operation by hand.',
      body: {
        WSDL: `${prefix}${path}?wsdl`,
        schema: `${prefix}${path}?xsd=1`,
        'as JSON': `${prefix}/rest/services`,
        operations,
      },
      site: edge.site,
    });
  }

  return (dialect: SoapDialect, path: string) => (request: FastifyRequest, reply: FastifyReply) => {
    const asked = new Set(Object.keys(request.query as object).map((key) => key.toLowerCase()));
    const { address: origin } = edge.originOf(request);
    const document = (key: string, make: () => string) => {
      const body = documents.getOrCreate(key, () => Buffer.from(make()));
      return sendPublic(request, reply, 'text/xml; charset=utf-8', body);
    };
    if (asked.has('wsdl') || asked.has('singlewsdl'))
      return document(`wsdl ${dialect} ${origin}`, () => catalogWsdl(namespace, dialect, origin + path));
    if (asked.has('xsd')) return document(`xsd ${dialect}`, () => catalogXsd(namespace, dialect));
    return sendPage(reply, origin, path);
  };
}
