// Receives the bytes of a body within the limits of REQ9: the size of this body, the memory of all bodies, and the time.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StewardError } from '../../../foundation/errors.ts';
import { LIMITS } from '../limits.ts';
import type { BodyBudget, ReceivedBody } from './bodyBudget.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the head carried a valid token of a sufficient role. */
    isTrusted: boolean;
    receivedBody: ReceivedBody | undefined;
  }
}

export function bodyTooLarge(limit: number): StewardError {
  const rule = {
    [LIMITS.form]: 'a form may have at most 1 MiB',
    [LIMITS.soap]: 'a SOAP request may have at most 64 KiB',
  }[limit];
  return new StewardError('tooLarge', `The body is too large: ${rule ?? 'a file may have at most 16 MiB'}.`);
}

/** Begins to count the body of a request. It counts until the request is answered, or until its connection is closed. */
export function openBody(
  budget: BodyBudget,
  request: FastifyRequest,
  isUpload: boolean,
  onLate: (error: StewardError) => void,
): ReceivedBody {
  const body = budget.open({ isUpload, isTrusted: request.isTrusted, onLate });
  request.receivedBody = body;
  return body;
}

/** Notes that a body has arrived. A request whose client is gone may never be answered, so a large body also ends with it. */
export function completeBody(request: FastifyRequest, size: number): void {
  request.receivedBody?.complete();
  if (size > LIMITS.freeBytes && request.receivedBody) request.raw.socket.once('close', request.receivedBody.release);
}

/** Gives back the memory of a body whose request is answered. */
export function closeBody(request: FastifyRequest): void {
  const { receivedBody } = request;
  if (receivedBody === undefined) return;
  receivedBody.release();
  request.raw.socket.off('close', receivedBody.release);
}

/**
 * Takes a body that is in the buffer as a whole, and so small that the budget does not count it. Any other is left to `receiveBytes`.
 * The stream of the request does not end, so an open connection keeps the head of its last request, about 2 KB, until the next.
 */
export function takeArrived({ raw, headers }: FastifyRequest): Buffer | undefined {
  const length = Number(headers['content-length']);
  if (length === 0 || length > LIMITS.freeBytes || length !== raw.readableLength) return undefined;
  const body: unknown = raw.read();
  return Buffer.isBuffer(body) ? body : undefined;
}

/** Receives a body as a whole. */
export function receiveBytes(
  budget: BodyBudget,
  request: FastifyRequest,
  limit: number,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const payload: IncomingMessage = request.raw;
  if (Number(request.headers['content-length'] ?? 0) > limit) return done(bodyTooLarge(limit));
  let chunks: Buffer[] = [];
  let [size, isOver] = [0, false];
  const fail = (error: StewardError): void => {
    if (isOver) return;
    [isOver, chunks] = [true, []];
    body.release();
    done(error);
  };
  const body = openBody(budget, request, false, fail);
  payload.on('data', (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    const refusal = size > limit ? bodyTooLarge(limit) : body.add(chunk.length);
    if (refusal === undefined) chunks.push(chunk);
    else fail(refusal);
  });
  payload.on('end', () => {
    if (isOver) return;
    isOver = true;
    completeBody(request, size);
    done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
  });
  payload.on('error', () => fail(new StewardError('invalid', 'The body was cut short.')));
}

/** Tells whether a POST may have a body: it has none if it says so. */
export function mayHaveBody({ headers }: FastifyRequest): boolean {
  return headers['content-length'] !== '0';
}

/**
 * Reads and drops the rest of a body that was refused. Many clients read the answer only after they have sent everything. A client
 * that is slow, or announces more than any operation takes, is disconnected instead.
 */
export function dropRest(request: FastifyRequest, reply: FastifyReply, error: StewardError): void {
  const { raw } = request;
  if (raw.complete || raw.readableEnded || request.method === 'GET' || !mayHaveBody(request)) return;
  if (error.code === 'requestTimeout' || Number(request.headers['content-length'] ?? 0) > LIMITS.upload) {
    reply.header('connection', 'close');
    return;
  }
  let left: number = LIMITS.upload;
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), LIMITS.bodyMs).unref();
  raw.once('close', () => clearTimeout(timer));
}
