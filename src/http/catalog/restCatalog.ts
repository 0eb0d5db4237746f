import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Visibility } from '../../catalog/visibility.ts';
import { isVisible, visibleFolder, visibleFolders } from '../../catalog/visibility.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { versionName, decimalVersion } from '../../model/version.ts';
import { urlOfService } from '../../wire/answers/serviceUrl.ts';
import { callerOf, originOf } from '../server/handler.ts';
import { findCredential, tokenMissing } from '../server/credential.ts';
import { sendFailure } from '../server/failure.ts';
import type { Form } from '../server/form.ts';
import { NO_FILES, bodyOf, readFields } from '../server/form.ts';
import { formatOf, formatProblems, send } from '../server/format.ts';
import type { CatalogRenderer } from './catalogRenderer.ts';
import type { Areas } from '../server/routes.ts';
import type { CatalogSettings } from './soap.ts';
import { sendTagged } from '../server/etag.ts';

/** Until a deployment says which version it is, the catalog speaks for itself. */
const CATALOG_VERSION = { currentVersion: 10, fullVersion: '10.0' };
const JSON_TYPE = 'application/json; charset=utf-8';

export interface RestCatalogNeeds {
  readonly areas: Areas;
  readonly log: Log;
  readonly publicUrl: string | undefined;
  readonly root: string;
  readonly catalog: CatalogSettings;
  readonly rendering: CatalogRenderer;
}

/** The catalog as JSON, with the visibility of the SOAP catalog. */
export function registerRestCatalog(app: FastifyInstance, needs: RestCatalogNeeds): void {
  const { areas, log, root, catalog, rendering } = needs;

  /** Remembered, so it costs a request nothing. */
  async function versions(): Promise<typeof CATALOG_VERSION> {
    const last = (await areas.upgrades.facts()).installed.at(-1)?.version;
    return last === undefined
      ? CATALOG_VERSION
      : { currentVersion: decimalVersion(last), fullVersion: versionName(last) };
  }

  async function viewOf(request: FastifyRequest, body: Form, query: Form): Promise<Visibility> {
    const credential = findCredential(request, body, query);
    if (credential !== undefined) {
      request.who = (await areas.access.tokens.authenticate(credential.secret, callerOf(request))).name;
      return 'all';
    }
    if (catalog.requiresTokens) throw tokenMissing(request, query);
    return 'public';
  }

  async function listFolder(
    request: FastifyRequest,
    reply: FastifyReply,
    body: Form,
    query: Form,
  ): Promise<FastifyReply> {
    const view = await viewOf(request, body, query);
    readFields({}, body, query, NO_FILES, formatProblems(body, query));
    const name = ((request.params as { readonly folder?: string }).folder ?? '').normalize('NFC');
    const listing = await areas.catalog.listing();
    const folder = visibleFolder(listing, name, view);
    if (folder === undefined) throw new StewardError('notFound', `There is no folder ${name}.`);
    const { currentVersion } = await versions();
    const folders = name === '' ? visibleFolders(listing, view).map((one) => one.folder.name) : [];
    const origin = originOf(request, needs.publicUrl).address;
    const format = formatOf(request, body, query);
    if (format === 'json') {
      const bytes = await rendering.answer(
        listing,
        JSON.stringify(['json', name, view, origin, currentVersion]),
        async () => {
          const services = await rendering.services([folder], { as: 'json', view, origin }, '[', ']');
          const list = services.toString().replace(/,\]$/, ']');
          return Buffer.from(
            `{"currentVersion":${currentVersion},"folders":${JSON.stringify(folders)},"services":${list}}`,
          );
        },
      );
      return sendTagged(request, reply, bytes, JSON_TYPE);
    }
    const services = folder.chunks
      .flat()
      .filter((service) => isVisible(service, view))
      .map((service) => ({
        name: service.folder === '' ? service.name : `${service.folder}/${service.name}`,
        type: service.type,
        url: urlOfService(service, origin),
      }));
    return send(reply, format, {
      title: request.url,
      about: 'The published services.',
      body: { currentVersion, folders, services },
      home: root,
    });
  }

  async function info(request: FastifyRequest, reply: FastifyReply, body: Form, query: Form): Promise<FastifyReply> {
    readFields({}, body, query, NO_FILES, formatProblems(body, query));
    const tokenServicesUrl = `${originOf(request, needs.publicUrl).address}/tokens/generateToken`;
    const answered = { ...(await versions()), authInfo: { isTokenBasedSecurity: true, tokenServicesUrl } };
    return send(reply, formatOf(request, body, query), {
      title: request.url,
      about: 'What this server is, and where tokens come from.',
      body: answered,
      home: root,
    });
  }

  for (const [url, answer] of [
    ['/rest/services', listFolder],
    ['/rest/services/:folder', listFolder],
    ['/rest/info', info],
  ] as const) {
    app.route({
      method: ['GET', 'POST'],
      url,
      handler: async (request, reply) => {
        const [body, query] = [bodyOf(request), request.query as Form];
        try {
          return await answer(request, reply, body, query);
        } catch (error) {
          return sendFailure({ request, reply, error, body, query, isCompat: false, log, root });
        }
      },
    });
  }
}
