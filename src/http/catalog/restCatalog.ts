import type { FastifyReply } from 'fastify';
import type { CatalogListing, FolderListing } from '../../catalog/listing.ts';
import type { Visibility } from '../../catalog/visibility.ts';
import { isVisible, visibleFolder, visibleFolders } from '../../catalog/visibility.ts';
import type { StewardError } from '../../foundation/errors.ts';
import { noSuchName } from '../../foundation/errors.ts';
import { versionName, decimalVersion } from '../../model/version.ts';
import { describeService } from '../../wire/soap/catalogMessages.ts';
import { tokenMissing } from '../server/request/credential.ts';
import type { SoapDialect } from '../../wire/soap/catalogSchema.ts';
import type { Exchange } from '../server/edge.ts';
import { COMPAT_ROOT } from '../server/compat.ts';
import { JSON_TYPE, etagOf, sendBody, sendTagged } from '../server/send.ts';
import type { RenderedCatalogDependencies } from './catalogDependencies.ts';

/** The version that the catalog reports until the version of the deployment is known. */
const CATALOG_VERSION = { currentVersion: 10, fullVersion: '10.0' };

/** Older clients renew their token for 499 only. It must not tell whether the folder exists. */
function noSuchFolder({ request, query, isCompat }: Exchange, name: string, view: Visibility): StewardError {
  return isCompat && view === 'public' ? tokenMissing(request, query) : noSuchName('folder', name);
}

/** Makes the handlers of the catalog as JSON. It shows the same services as the SOAP catalog. */
export function createRestCatalog({ edge, areas, settings, version, renderer }: RenderedCatalogDependencies) {
  /** The facts are cached, so this costs a request nothing. */
  async function versions(): Promise<typeof CATALOG_VERSION> {
    const last = (await areas.upgrades.facts()).installed.at(-1)?.version;
    return last === undefined
      ? CATALOG_VERSION
      : { currentVersion: decimalVersion(last), fullVersion: versionName(last) };
  }

  async function viewOf({ request, body, query, isCompat }: Exchange): Promise<Visibility> {
    const credential = edge.credentialOf(request, body, query, isCompat);
    if (credential === undefined) {
      if (settings.requiresTokens) throw tokenMissing(request, query);
      return 'public';
    }
    await edge.identify(request, credential);
    return 'all';
  }

  async function sendFolder(
    { request, reply, format }: Exchange,
    listing: CatalogListing,
    folder: FolderListing,
    view: Visibility,
  ): Promise<FastifyReply> {
    const { name } = folder.folder;
    const { currentVersion } = await versions();
    const folders = name === '' ? visibleFolders(listing, view).map((one) => one.folder.name) : [];
    const { address: origin } = edge.originOf(request);
    if (format === 'json') {
      const key = JSON.stringify(['json', name, view, origin, currentVersion]);
      const open = `{"currentVersion":${currentVersion},"folders":${JSON.stringify(folders)},"services":[`;
      const body = await renderer.answer(listing, key, () =>
        renderer.services([folder], { format, view, origin }, open, ']}'),
      );
      const cacheControl = view === 'all' ? 'private, no-cache' : 'no-cache';
      return sendTagged(request, reply, { etag: etagOf(body), cacheControl, type: JSON_TYPE, bytes: () => body });
    }
    const visible = folder.chunks.flat().filter((service) => isVisible(service, view));
    return sendBody(reply, format, {
      title: edge.site.prefix + request.url,
      about: 'The published services.',
      body: { currentVersion, folders, services: visible.map((service) => describeService(service, origin)) },
      site: edge.site,
    });
  }

  const common = { fields: {}, ignoresUnknown: true, changes: false, isSettings: false };

  const handlersOf = (dialect: SoapDialect) => ({
    folder: edge.handlerOf({
      ...common,
      isCompat: dialect === 'compat',
      admit: viewOf,
      async answer(exchange, view: Visibility) {
        const params = exchange.request.params as { readonly folder?: string };
        const name = (params.folder ?? '').normalize('NFC');
        const listing = await areas.catalog.listing();
        const folder = visibleFolder(listing, name, view);
        if (folder === undefined) throw noSuchFolder(exchange, name, view);
        return sendFolder(exchange, listing, folder, view);
      },
    }),

    info: edge.handlerOf({
      ...common,
      isCompat: dialect === 'compat',
      admit: () => undefined,
      async answer({ request, reply, format }) {
        const { address } = edge.originOf(request);
        const owner = dialect === 'compat' ? { owningSystemUrl: address + COMPAT_ROOT } : {};
        const authInfo = { isTokenBasedSecurity: true, tokenServicesUrl: `${address}/tokens/generateToken` };
        return sendBody(reply, format, {
          title: edge.site.prefix + request.url,
          about: 'The version of the deployment and of Steward, and the address of its token service.',
          body: { ...(await versions()), ...owner, authInfo, stewardVersion: version },
          site: edge.site,
        });
      },
    }),
  });

  return { versions, handlersOf };
}
