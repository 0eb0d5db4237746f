import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { csrfTokenOf } from '../../access/secret.ts';
import type { Directory } from '../server/page/directory.ts';
import { createDirectory } from '../server/page/directory.ts';
import type { Fields } from '../../wire/fields/fields.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import { isCompatOperation } from '../server/compat.ts';
import type { Edge, Exchange, Origin } from '../server/edge.ts';
import type { Credential } from '../server/request/credential.ts';
import { field } from '../server/request/form.ts';
import type { HandlerResult } from '../server/handler.ts';
import type { Site } from '../server/pathPrefix.ts';
import type { Fail, PostHandler } from '../server/registerRoute.ts';
import { registerRoute } from '../server/registerRoute.ts';
import type { Route } from '../server/route.ts';
import { patternsOf } from '../server/route.ts';
import { JSON_TYPE, asDownload, sendBody, sendLines, sendTagged } from '../server/send.ts';
import type { AdmissionDependencies } from './admission.ts';
import { createAdmission } from './admission.ts';

type DirectoryOf = (body: object) => Directory;

function sendResult(
  { request, reply, body, query, format }: Exchange,
  result: HandlerResult,
  { description: about }: Operation,
  site: Site,
  directoryOf: DirectoryOf,
): Promise<FastifyReply> | FastifyReply {
  // `result.body` may be a getter that builds the body, so it is read only where it is sent.
  const { headers, file, lines, cached, stream } = result;
  if (headers !== undefined) reply.headers(headers);
  if (stream !== undefined && field(body, query, 'f') === undefined) {
    stream(request, reply.hijack());
    return reply;
  }
  if (cached !== undefined && format !== 'html') {
    const etag = `"${cached.tag}-${format}"`;
    const bytes = (): Buffer => cached.bytes(format);
    return sendTagged(request, reply, { etag, cacheControl: 'private, no-cache', type: JSON_TYPE, bytes });
  }
  if (file !== undefined) return asDownload(reply, file.name).type('application/octet-stream').send(file.bytes);
  if (lines !== undefined) return sendLines(request, asDownload(reply, lines.name), lines.pages);
  const title = site.prefix + request.originalUrl;
  if (format !== 'html') return sendBody(reply, format, { title, about, body: result.body, site });
  if (result.nextPage !== undefined) return reply.redirect(result.nextPage, 303);
  const shown = result.body;
  return sendBody(reply, format, {
    title,
    about,
    body: shown,
    site,
    directory: directoryOf(shown),
  });
}

function pathOf({ originalUrl }: FastifyRequest, { site }: Edge): string {
  return site.prefix + (originalUrl.split('?', 1)[0] ?? '').replace(/\/+$/, '');
}

/** The CSRF token of a session; undefined if the caller has none. */
function sessionToken(credential: Credential | undefined): string | undefined {
  return credential?.isCookie === true ? csrfTokenOf(credential.secret) : undefined;
}

/** The fields that take a file. */
function fileFieldsOf(fields: Fields): ReadonlySet<string> {
  return new Set(Object.keys(fields).filter((name) => fields[name]?.reader.readFile !== undefined));
}

interface OperationRouteDependencies extends AdmissionDependencies {
  readonly edge: Edge;
  readonly hasAliases: boolean;
}

/** Registers every operation below {root}, where those of the compat interface arrive too, and at its addresses outside. */
export function registerOperations(
  app: FastifyInstance,
  table: readonly Route[],
  dependencies: OperationRouteDependencies,
): void {
  const { edge, hasAliases } = dependencies;
  const { admit, tokenChecks } = createAdmission(dependencies);
  const directoryOf = createDirectory(table, edge.site.home);

  function handlerOf({ operation, handle }: Route, isCompat: boolean) {
    return edge.handlerOf({
      fields: operation.fields,
      isCompat,
      ignoresUnknown: isCompat || operation.ignoresUnknown === true,
      changes: operation.kind !== 'resource',
      isSettings: operation.kind === 'settings',
      admit: (exchange) => admit(operation, exchange),
      async answer(exchange, admitted, fields) {
        const { request } = exchange;
        const { caller, credential, actor, isChange } = admitted;
        const path = request.params as Readonly<Record<string, string>>;
        const origin = (): Origin => edge.originOf(request);
        const result = await handle({ caller, credential, actor, isChange, fields, path, origin });
        const surroundings = (body: object): Directory =>
          directoryOf({ operation, path: pathOf(request, edge), body, actor, csrfToken: sessionToken(credential) });
        return sendResult(exchange, result, operation, edge.site, surroundings);
      },
    });
  }

  const [failPlain, failCompat] = [edge.failAs('plain'), edge.failAs('compat')];
  const fail: Fail = (error, request, reply) =>
    (isCompatOperation(request) ? failCompat : failPlain)(error, request, reply);

  for (const route of table) {
    const { kind, path, fields, alsoAt = [], aliases = [] } = route.operation;
    const [clean, compat] = [handlerOf(route, false), handlerOf(route, true)];
    const handler: PostHandler = (request, reply) => (isCompatOperation(request) ? compat : clean)(request, reply);
    const { beforeBody, checkToken } = tokenChecks(route.operation);
    const options = {
      handlers: kind === 'operation' ? { POST: handler } : { GET: handler, POST: handler },
      fail,
      config: { fileFields: fileFieldsOf(fields), checkToken },
      ...(beforeBody && { beforeBody }),
    };
    const outside = [...alsoAt, ...(hasAliases ? aliases : [])];
    for (const url of [...patternsOf(path).map((pattern) => edge.root + pattern), ...outside])
      registerRoute(app, { url, ...options });
  }
}
