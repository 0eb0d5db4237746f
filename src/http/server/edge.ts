// The edge: every request passes it, whichever interface it is for. It identifies the caller, reads the fields, lets the
// endpoint answer, and turns any error into a failure in the caller's format. Admin operations and the REST catalog are
// endpoints; SOAP uses the same identity and origin, and adds its faults as another way to fail.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../access/access.ts';
import { canonicalAddress } from '../../access/address.ts';
import type { Caller } from '../../access/tokens.ts';
import type { Actor } from '../../model/actor.ts';
import type { Log } from '../../foundation/log.ts';
import type { Fields, FieldValues } from '../../wire/fields/fields.ts';
import type { CookieScope, Credential } from './request/credential.ts';
import { findCredential, sessionCookie } from './request/credential.ts';
import { createFail } from './failure.ts';
import type { Site } from './pathPrefix.ts';
import { prefixOf } from './pathPrefix.ts';
import type { Form } from './request/form.ts';
import { formOf } from './request/form.ts';
import { readFields } from './request/formFields.ts';
import type { Format } from './request/format.ts';
import { formatOf, formatProblems } from './request/format.ts';
import type { FieldRules } from './request/unknownFields.ts';
import { createFindUnknown } from './request/unknownFields.ts';

export interface EdgeDependencies {
  readonly tokens: Pick<Access['tokens'], 'authenticate' | 'known'>;
  readonly log: Log;
  readonly root: string;
  readonly publicUrl: string | undefined;
  readonly installation: string;
}

/** The address that the caller used, behind trusted proxies too. */
export interface Origin extends CookieScope {
  readonly address: string;
  /** The path of the address; empty if Steward is at the top of its host. */
  readonly prefix: string;
}

/** A request with its form, and the reply to it. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: Form;
  readonly query: Form;
  readonly format: Format;
  /** Whether the request came in by the compat interface. */
  readonly isCompat: boolean;
}

export interface Endpoint<F extends Fields, A> extends FieldRules {
  readonly fields: F;
  readonly isCompat: boolean;
  /** Identifies and authorises the caller. */
  readonly admit: (exchange: Exchange) => Promise<A> | A;
  readonly answer: (exchange: Exchange, admitted: A, fields: FieldValues<F>) => Promise<FastifyReply> | FastifyReply;
}

const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export function callerOf(request: FastifyRequest): Caller {
  const address = canonicalAddress(request.ip) ?? request.ip;
  return { address, referer: request.headers.referer, requestId: request.id };
}

export function createEdge({ tokens, log, root, publicUrl, installation }: EdgeDependencies) {
  const prefix = prefixOf(publicUrl);
  const site: Site = { prefix, home: prefix + root };

  function originOf(request: FastifyRequest): Origin {
    const address = publicUrl ?? `${request.protocol}://${HOST.test(request.host) ? request.host : 'localhost'}`;
    return { address, isSecure: address.startsWith('https:'), prefix, installation };
  }

  return {
    root,
    site,

    /** Returns `STEWARD_PUBLIC_URL` if it is set, otherwise the address in the request if it is a valid one. */
    originOf,

    /** Finds the token of a request, without checking it. */
    credentialOf(request: FastifyRequest, body: Form, query: Form, isCompat: boolean): Credential | undefined {
      return findCredential(request, body, query, { isCompat, cookie: () => sessionCookie(originOf(request)) });
    },

    /** Authenticates a credential and notes its owner for the request log. Returns no promise if the token is cached. */
    identify(request: FastifyRequest, { secret }: Credential, caller = callerOf(request)): Actor | Promise<Actor> {
      const note = (actor: Actor): Actor => {
        request.who = actor.name;
        return actor;
      };
      const known = tokens.known(secret, caller);
      return known === undefined ? tokens.authenticate(secret, caller).then(note) : note(known);
    },

    /** Makes the handler of an endpoint: admit, read the fields, answer. */
    handlerOf<F extends Fields, A>(endpoint: Endpoint<F, A>) {
      const { fields, isCompat, admit, answer } = endpoint;
      const findUnknown = createFindUnknown(endpoint);
      return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const [body, query] = [formOf(request.body), formOf(request.query)];
        const exchange = { request, reply, body, query, format: formatOf(request, body, query), isCompat };
        const admitted = await admit(exchange);
        const [unknown, wrongFormat] = [findUnknown(body, query, request.method), formatProblems(body, query)];
        const problems = unknown.length === 0 ? wrongFormat : [...unknown, ...wrongFormat];
        const values = readFields(fields, body, query, request.sentFiles, problems);
        return answer(exchange, admitted, values);
      };
    },

    /** Makes the error handler of a route. It runs for whatever the route, its hooks or a body parser throws. */
    failAs: createFail(log, root, site),
  };
}

export type Edge = ReturnType<typeof createEdge>;
