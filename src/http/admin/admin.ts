import type { FastifyReply, FastifyRequest } from 'fastify';
import { isCsrfTokenOf } from '../../access/secret.ts';
import type { Caller } from '../../access/tokens.ts';
import type { Actor, Role } from '../../model/actor.ts';
import { hasRole } from '../../model/actor.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { refuseWhenClosed } from '../../model/mode.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import type { Credential } from '../server/credential.ts';
import { findCredential, tokenMissing } from '../server/credential.ts';
import type { CachedBytes } from '../server/handler.ts';
import { callerOf, originOf } from '../server/handler.ts';
import { sendBytes } from '../server/compression.ts';
import { sendFailure } from '../server/failure.ts';
import type { Form } from '../server/form.ts';
import { NOTHING, bodyOf, field, readFields } from '../server/form.ts';
import { formatOf, formatProblems, send } from '../server/format.ts';
import type { Areas, Route } from '../server/routes.ts';
import { isKnown } from '../server/etag.ts';

export interface AdminNeeds {
  readonly areas: Areas;
  readonly log: Log;
  readonly root: string;
  readonly publicUrl: string | undefined;
  /** Whether there is too little disk left to accept anything new. */
  readonly isDiskLow: () => boolean;
}

function isChangeOf({ kind, fields }: Operation, request: FastifyRequest, body: Form, query: Form): boolean {
  if (kind !== 'settings' || request.method !== 'POST') return false;
  return Object.keys(fields).some((name) => field(body, query, name) !== undefined);
}

function refuseForeignWrite(credential: Credential, request: FastifyRequest, body: Form): void {
  if (!credential.isCookie || request.method === 'GET' || request.method === 'HEAD') return;
  const presented = request.headers['x-csrf-token'] ?? body['csrfToken'];
  if (typeof presented === 'string' && isCsrfTokenOf(credential.secret, presented)) return;
  throw new StewardError('forbidden', 'A write that is signed in by the cookie must carry its CSRF token.', {
    details: ['csrfToken: send what login or session answered, as this field or as the header X-CSRF-Token'],
  });
}

function refuseOtherService(actor: Actor, role: Role, operation: Operation, request: FastifyRequest): void {
  if (actor.onlyService === undefined) return;
  const { folder, service } = request.params as { readonly folder?: string; readonly service?: string };
  const asked = `${folder === undefined ? '' : `${folder}/`}${service ?? ''}`.normalize('NFC');
  if (operation.path.includes('{service}') ? asked === actor.onlyService : role === 'viewer') return;
  throw new StewardError('forbidden', `This token is for the service ${actor.onlyService} only.`);
}

/** PostgreSQL has no such character, so nothing is called so. */
function refuseNul(request: FastifyRequest): void {
  if (request.url.includes('%00')) throw new StewardError('notFound', 'There is nothing at this address.');
}

function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  format: 'json' | 'pjson',
  { tag, bytes }: CachedBytes,
): Promise<FastifyReply> | FastifyReply {
  const etag = `"${tag}-${format}"`;
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  if (isKnown(request, etag)) return reply.status(304).send();
  return sendBytes(request, reply.type('application/json; charset=utf-8'), bytes(format));
}

export function createAdmin(needs: AdminNeeds) {
  const { areas, log, root } = needs;

  function identify(
    credential: Credential | undefined,
    request: FastifyRequest,
    query: Form,
    caller: Caller,
  ): Promise<Actor> {
    if (credential === undefined) throw tokenMissing(request, query);
    return areas.access.tokens.authenticate(credential.secret, caller);
  }

  async function refuseClosed({ closedWhen, fillsDisk }: Operation): Promise<void> {
    if (fillsDisk && needs.isDiskLow()) {
      throw new StewardError('unavailable', 'The disk is nearly full, so nothing new is accepted. Free some space.', {
        retryAfterSeconds: 60,
      });
    }
    if (closedWhen !== 'never') refuseWhenClosed(closedWhen, await areas.mode.read());
  }

  async function answer(
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
    body: Form,
    query: Form,
  ): Promise<FastifyReply> {
    const { operation } = route;
    const format = formatOf(request, body, query);
    const isChange = isChangeOf(operation, request, body, query);
    const role = isChange ? (operation.changeRole ?? operation.role) : operation.role;
    const credential = findCredential(request, body, query);
    const caller = callerOf(request);
    let actor: Actor | undefined;
    if (role !== 'anyone') {
      actor = await identify(credential, request, query, caller);
      request.who = actor.name;
      if (credential !== undefined) refuseForeignWrite(credential, request, body);
      if (!hasRole(actor.role, role)) {
        throw new StewardError('forbidden', `This needs the role ${role}; ${actor.name} is ${actor.role}.`);
      }
      refuseOtherService(actor, role, operation, request);
    }
    // To read settings by POST is no write.
    const isRead = operation.kind === 'settings' && !isChange;
    if (!isRead && (operation.closedWhen !== 'never' || operation.fillsDisk === true)) await refuseClosed(operation);
    const answered = await route.handle({
      actor: actor as Actor,
      credential: credential as Credential,
      fields: readFields(operation.fields, body, query, request.sentFiles, formatProblems(body, query)),
      path: request.params as Readonly<Record<string, string>>,
      caller,
      get origin() {
        return originOf(request, needs.publicUrl);
      },
      isChange,
    });
    // The body is not asked for before it is needed: it may have to be made.
    const { headers, file, cached, stream } = answered;
    if (headers !== undefined) reply.headers(headers);
    if (stream !== undefined && field(body, query, 'f') === undefined) {
      stream(request, reply.hijack());
      return reply;
    }
    if (cached !== undefined && format !== 'html') return sendCached(request, reply, format, cached);
    reply.header('cache-control', 'no-store');
    if (file !== undefined) {
      reply.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`);
      return reply.type('application/octet-stream').send(file.bytes);
    }
    return send(reply, format, { title: request.url, about: operation.about, body: answered.body, home: root });
  }

  return {
    /** The way of every request below {root}. */
    handlerOf: (route: Route, isCompat: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
      const [body, query] = [bodyOf(request), request.query as Form];
      try {
        refuseNul(request);
        return await answer(route, request, reply, body, query);
      } catch (error) {
        return sendFailure({ request, reply, error, body, query, isCompat, log, root });
      }
    },

    /** A verb that was asked by another method. */
    refusalOf: (allow: string, isCompat: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('allow', allow);
      const error = new StewardError('methodNotAllowed', `${request.method} is not answered here; use ${allow}.`);
      return sendFailure({
        request,
        reply,
        error,
        body: NOTHING,
        query: request.query as Form,
        isCompat,
        log,
        root,
      });
    },
  };
}
