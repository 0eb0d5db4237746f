import type { FastifyInstance } from 'fastify';
import type { SoapDialect } from '../../wire/soap/catalogSchema.ts';
import { LIMITS } from '../server/limits.ts';
import { receiveBytes } from '../server/request/receiveBody.ts';
import type { PostHandler } from '../server/registerRoute.ts';
import { registerRoute } from '../server/registerRoute.ts';
import { COMPAT_ROOT, PORTAL_ROOTS } from '../server/compat.ts';
import type { CatalogDependencies } from './catalogDependencies.ts';
import { createCatalogPages } from './catalogPages.ts';
import { createCatalogRenderer } from './catalogRenderer.ts';
import { createPortal } from './portal.ts';
import { createRestCatalog } from './restCatalog.ts';
import { SOAP_MEDIA_TYPES, createSoapCatalog, failAsSoap } from './soapCatalog.ts';

const PREFIX: Readonly<Record<SoapDialect, string>> = { clean: '', compat: '/compat' };

/** Registers the public faces of the catalog: SOAP with its WSDL and page in both dialects, and JSON in both. */
export function registerCatalog(app: FastifyInstance, dependencies: CatalogDependencies): void {
  const { edge, log, budget, hasCompat } = dependencies;
  const rendered = { ...dependencies, renderer: createCatalogRenderer() };
  const dialects: readonly SoapDialect[] = hasCompat ? ['clean', 'compat'] : ['clean'];
  const pages = createCatalogPages(dependencies);
  const soap = createSoapCatalog(rendered);
  const rest = createRestCatalog(rendered);
  const portal = createPortal({ ...dependencies, versions: rest.versions });

  app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    // Every type is read, so that the refusal can name the supported ones; named types are looked up faster than `*`.
    scope.addContentTypeParser([...SOAP_MEDIA_TYPES, '*'], (request, _payload, parsed) =>
      receiveBytes(budget, request, LIMITS.soap, parsed),
    );
    for (const dialect of dialects) {
      const url = `${PREFIX[dialect]}/services`;
      registerRoute(scope, {
        url,
        handlers: { GET: pages(dialect, url), POST: soap(dialect) },
        fail: failAsSoap(log, edge.failAs('plain')),
        parserOf: () => (bytes) => bytes,
        recommended: 'POST',
      });
    }
    registered();
  });

  for (const dialect of dialects) {
    const { folder, info } = rest.handlersOf(dialect);
    const fail = edge.failAs(dialect === 'compat' ? 'compat' : 'plain');
    const at = (url: string, handler: PostHandler): void =>
      registerRoute(app, { url, handlers: { GET: handler, POST: handler }, fail });
    at(`${PREFIX[dialect]}/rest/services`, folder);
    at(`${PREFIX[dialect]}/rest/services/:folder`, folder);
    at(`${PREFIX[dialect]}/rest/info`, info);
    // Clients look here for the token service once they know the owning system.
    if (dialect === 'compat') at(`${COMPAT_ROOT}/sharing/rest/info`, info);
    for (const root of dialect === 'compat' ? PORTAL_ROOTS : []) {
      at(`${root}/portals/self`, portal.portalsSelf);
      at(`${root}/community/self`, portal.communitySelf);
    }
  }
}
