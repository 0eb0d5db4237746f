import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../server/limits.ts';
import { receiveBytes } from '../server/request/receiveBody.ts';
import { registerRoute } from '../server/registerRoute.ts';
import type { CatalogDependencies } from './catalogDependencies.ts';
import { createCatalogPages } from './catalogPages.ts';
import { createCatalogRenderer } from './catalogRenderer.ts';
import { createRestCatalog } from './restCatalog.ts';
import { SOAP_MEDIA_TYPES, createSoapCatalog, failAsSoap } from './soapCatalog.ts';

/** Registers the public faces of the catalog: SOAP with its WSDL and page in both dialects, and JSON. */
export function registerCatalog(app: FastifyInstance, dependencies: CatalogDependencies): void {
  const { edge, log, budget } = dependencies;
  const rendered = { ...dependencies, renderer: createCatalogRenderer() };
  const pages = createCatalogPages(dependencies);
  const soap = createSoapCatalog(rendered);
  const rest = createRestCatalog(rendered);

  app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    // Every type is read, so that the refusal can name the supported ones; named types are looked up faster than `*`.
    scope.addContentTypeParser([...SOAP_MEDIA_TYPES, '*'], (request, _payload, parsed) =>
      receiveBytes(budget, request, LIMITS.soap, parsed),
    );
    for (const [url, dialect] of [
      ['/services', 'clean'],
      ['/compat/services', 'compat'],
    ] as const) {
      registerRoute(scope, {
        url,
        handlers: { GET: pages(dialect, url), POST: soap(dialect) },
        fail: failAsSoap(log, edge.failAs('plain')),
        recommended: 'POST',
      });
    }
    registered();
  });

  for (const [url, handler] of [
    ['/rest/services', rest.folder],
    ['/rest/services/:folder', rest.folder],
    ['/rest/info', rest.info],
  ] as const) {
    app.route({ method: ['GET', 'POST'], url, handler });
  }
}
