import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type { Caller } from '../../access/tokens.ts';
import type { Actor, Role } from '../../model/actor.ts';
import type { Fields, FieldValues } from '../../wire/fields/fields.ts';
import type { Operation, Operations } from '../../wire/operations/operations.ts';
import type { Credential } from './request/credential.ts';
import type { Origin } from './edge.ts';

interface OpenCall<F extends Fields> {
  readonly fields: FieldValues<F>;
  /** The parts of the path that the operation names in braces. */
  readonly path: Readonly<Record<string, string>>;
  readonly caller: Caller;
  /** The token that was sent; it is checked if the operation needs a role. */
  readonly credential: Credential | undefined;
  /** Called by the few operations that need it. */
  readonly origin: () => Origin;
  /** Whether a POST to settings carries one of their fields. */
  readonly isChange: boolean;
}

export interface Call<F extends Fields> extends OpenCall<F> {
  readonly actor: Actor;
  readonly credential: Credential;
}

/** A body that is kept as bytes, with a tag that changes whenever they do. */
export interface CachedBytes {
  readonly tag: string;
  bytes(format: 'json' | 'pjson'): Buffer;
}

/** What a handler answers. `body` is what a page shows, and what is sent where none of the others is. */
export interface HandlerResult<B = object> {
  readonly body: B;
  /** Sent instead of `body`, except as a page. */
  readonly cached?: CachedBytes;
  /** Writes the answer itself, for as long as it takes. Not used if the request asks for a format. */
  readonly stream?: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Sent instead of `body`, as a download. */
  readonly file?: { readonly name: string; readonly bytes: Buffer };
  /** Sent instead of `body`, as a download with one JSON text per line. A page is taken when the client has room for it. */
  readonly lines?: { readonly name: string; readonly pages: AsyncIterable<readonly object[]> };
  readonly headers?: Readonly<Record<string, string>>;
  /** Where a person goes instead of seeing `body` as a page. */
  readonly nextPage?: string;
}

type HandlerOf<O> =
  O extends Operation<infer F, infer R, infer A>
    ? (
        call: R extends Role ? Call<F> : OpenCall<F>,
      ) => Promise<HandlerResult<ShapeType<A>>> | HandlerResult<ShapeType<A>>
    : never;

/** Exactly one handler for each operation of a table. */
export type Handlers<T extends Operations> = { readonly [K in keyof T]: HandlerOf<T[K]> };

/** A call before its type is known: `actor` is there if the operation needs a role. */
export interface UncheckedCall extends OpenCall<Fields> {
  readonly actor: Actor | undefined;
}

export type Handler = (call: UncheckedCall) => Promise<HandlerResult> | HandlerResult;

/** Returns the answer to an operation that was carried out. */
export function done<B extends object>(more: B): HandlerResult<{ readonly status: 'success' } & B> {
  return { body: { status: 'success', ...more } };
}
