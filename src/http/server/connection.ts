import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { ErrorCode } from '../../foundation/errors.ts';
import { errorBody } from '../../wire/answers/errorBody.ts';

/** The reply that a connection waits for, kept on the socket itself: a map beside it would slow every request. */
const PENDING_REPLY = Symbol('pending reply');
type Connection = Socket & { [PENDING_REPLY]?: FastifyReply | undefined };

export function notePendingReply(reply: FastifyReply): void {
  (reply.request.raw.socket as Connection)[PENDING_REPLY] = reply;
}

export function forgetPendingReply(reply: FastifyReply): void {
  const socket: Connection = reply.request.raw.socket;
  if (socket[PENDING_REPLY] === reply) socket[PENDING_REPLY] = undefined;
}

function rawFailure(status: string, code: ErrorCode, message: string, requestId: string): string {
  const body = JSON.stringify(errorBody(code, message, []));
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`;
}

/** Tells a request with an unknown method from bytes that are not HTTP. */
function isRequestLine(packet: Buffer | undefined): boolean {
  return /^[A-Z-]{1,40} \S+ HTTP\/1\.[01]\r?\n/.test(packet?.subarray(0, 16_384).toString('latin1') ?? '');
}

interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Answers bytes that are not a valid request. There is no reply object yet, only the socket. */
export function answerUnreadable(error: ParseError, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.end(rawFailure('408 Request Timeout', 'requestTimeout', 'The request did not arrive in time.', requestId));
  } else if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The head of the request is too large.';
    socket.end(rawFailure('431 Request Header Fields Too Large', 'headTooLarge', message, requestId));
  } else if (error.code === 'HPE_INVALID_METHOD' && isRequestLine(error.rawPacket)) {
    const message = 'This method is not supported; use GET, HEAD or POST.';
    socket.end(rawFailure('405 Method Not Allowed\r\nAllow: GET, HEAD, POST', 'methodNotAllowed', message, requestId));
  } else socket.end(rawFailure('400 Bad Request', 'invalid', 'The request is not valid HTTP.', requestId));
}

function answerTimeout(socket: Socket, message: string, requestId: string): void {
  socket.write(rawFailure('408 Request Timeout', 'requestTimeout', message, requestId));
  socket.destroySoon();
}

/** On an idle timeout, answers 408 to an incomplete request and closes an idle connection. A slow answer may take longer. */
export function closeIdleConnections(server: Server): void {
  server.on('timeout', (socket: Connection) => {
    const reply = socket[PENDING_REPLY];
    if (reply?.request.raw.complete === true) return;
    if (reply === undefined || reply.raw.headersSent || !socket.writable) socket.destroy();
    else answerTimeout(socket, 'No data arrived for 30 seconds.', reply.request.id);
  });
}

function refuseConnection(socket: Socket): void {
  const message = 'The server has reached its limit of connections. Try again in a few seconds.';
  // A TLS client cannot read this; it sees that the connection is closed.
  socket.write(rawFailure('503 Service Unavailable\r\nRetry-After: 5', 'unavailable', message, ''));
  socket.destroySoon();
}

const SWEEP_EVERY_MS = 100;

/** Tells whether a connection waits for its client: for the rest of a request, or to take the answer, which may be a long one. */
function waitsForClient({ request, raw }: FastifyReply): boolean {
  return !request.raw.complete || raw.headersSent;
}

/**
 * Keeps every open connection, also those that have not sent a request yet or are still in their TLS handshake, so that the server
 * can stop without waiting for its clients.
 */
export function trackConnections(server: Server, { stallMs, max }: { readonly stallMs: number; readonly max: number }) {
  const open = new Map<string, Connection>();

  /** Makes room by closing the idle connection that was opened first. If all are busy, the new one is refused. */
  function makeRoom(newest: Connection): void {
    for (const socket of open.values()) {
      if (socket[PENDING_REPLY] !== undefined) continue;
      if (socket !== newest) return void socket.destroy();
    }
    refuseConnection(newest);
  }

  const add = (socket: Connection): void => {
    // The TLS socket takes the place of the TCP socket that it runs on: both have the same address.
    const key = `${socket.remoteAddress} ${socket.remotePort}`;
    open.set(key, socket);
    socket.once('close', () => {
      if (open.get(key) === socket) open.delete(key);
    });
    if (open.size > max) makeRoom(socket);
  };
  server.on('connection', add);
  server.on('secureConnection', add);

  function closeIdle(): void {
    for (const socket of open.values()) if (socket[PENDING_REPLY] === undefined) socket.destroy();
  }

  function closeStalled(): void {
    for (const socket of open.values()) {
      const reply = socket[PENDING_REPLY];
      if (reply === undefined || !waitsForClient(reply)) continue;
      if (reply.raw.headersSent || !socket.writable) socket.destroy();
      else
        answerTimeout(socket, 'The server is stopping, and the request had not arrived completely.', reply.request.id);
    }
  }

  return {
    /** Closes idle connections, now and when they become idle, and after `stallMs` those that wait for their client. */
    stop(): void {
      closeIdle();
      const began = performance.now();
      const sweep = setInterval(() => {
        closeIdle();
        if (performance.now() - began > stallMs) closeStalled();
        if (open.size === 0) clearInterval(sweep);
      }, SWEEP_EVERY_MS).unref();
    },
  };
}
