import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/tokens.ts';
import type { Actor, Role } from '../../model/actor.ts';
import type { Fields, Values } from '../../wire/operations/fields.ts';
import type { Operation, Operations } from '../../wire/operations/operations.ts';

interface OpenCall<F extends Fields> {
  readonly fields: Values<F>;
  /** The parts of the path that the row names in braces. */
  readonly path: Readonly<Record<string, string>>;
  readonly caller: Caller;
  /** What the request is seen to have come in by, behind trusted proxies too. */
  readonly origin: { readonly address: string; readonly isSecure: boolean };
  /** Whether one of the row's own fields was sent by POST. */
  readonly isChange: boolean;
}

export interface Call<F extends Fields> extends OpenCall<F> {
  readonly actor: Actor;
  readonly credential: { readonly secret: string; readonly isCookie: boolean };
}

/** A body that is kept as bytes, with a tag that changes whenever they do. */
export interface CachedBytes {
  readonly tag: string;
  bytes(format: 'json' | 'pjson'): Buffer;
}

export interface HandlerResult {
  readonly body: object;
  /** Sent instead of `body`, except as a page. */
  readonly cached?: CachedBytes;
  /** Answers by itself, for as long as it likes; not where a format was asked for. */
  readonly stream?: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Sent in place of the body, to be saved. */
  readonly file?: { readonly name: string; readonly bytes: Buffer };
  readonly headers?: Readonly<Record<string, string>>;
}

type HandlerOf<O> =
  O extends Operation<infer F, infer R>
    ? (call: R extends Role ? Call<F> : OpenCall<F>) => Promise<HandlerResult> | HandlerResult
    : never;

/** Exactly one handler for each row of a table. */
export type Handlers<T extends Operations> = { readonly [K in keyof T]: HandlerOf<T[K]> };

export type Handler = (call: Call<Fields>) => Promise<HandlerResult> | HandlerResult;

export function done(more: object = {}): HandlerResult {
  return { body: { status: 'success', ...more } };
}

const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** `STEWARD_PUBLIC_URL` where it is set, else the address that the caller used, if it is one. */
export function originOf(request: FastifyRequest, publicUrl: string | undefined): OpenCall<Fields>['origin'] {
  const address = publicUrl ?? `${request.protocol}://${HOST.test(request.host) ? request.host : 'localhost'}`;
  return { address, isSecure: address.startsWith('https:') };
}

export function callerOf(request: FastifyRequest): Caller {
  return { address: request.ip, referer: request.headers.referer, requestId: request.id };
}
