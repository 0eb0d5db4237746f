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

/** Answers bytes that are not a valid request. There is no reply object yet, only the socket. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.end(rawFailure('408 Request Timeout', 'requestTimeout', 'The request did not arrive in time.', requestId));
  } else if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The head of the request is too large.';
    socket.end(rawFailure('431 Request Header Fields Too Large', 'headTooLarge', message, requestId));
  } else socket.end(rawFailure('400 Bad Request', 'invalid', 'The request is not valid HTTP.', requestId));
}

/** On an idle timeout, answers 408 to an incomplete request and closes an idle connection. A slow answer may take longer. */
export function closeIdleConnections(server: Server): void {
  server.on('timeout', (socket: Connection) => {
    const reply = socket[PENDING_REPLY];
    if (reply?.request.raw.complete === true) return;
    if (reply === undefined || reply.raw.headersSent || !socket.writable) socket.destroy();
    else {
      socket.end(rawFailure('408 Request Timeout', 'requestTimeout', 'Nothing came for 30 seconds.', reply.request.id));
    }
  });
}
