import type { Socket } from 'node:net';

/** `HTTP/1.1 1xx`, but not 101, which ends HTTP on this connection. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const BEGINNING = /^H(T(T(P(\/(1(\.([01]( (1(\d(\d)?)?)?)?)?)?)?)?)?)?)?$/;
const STATUS_LENGTH = 'HTTP/1.1 100 '.length;
const END_OF_HEAD = '\r\n\r\n';
/** Of one answer. What is longer is left to the parser, which refuses it. */
const MAX_INTERIM = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** Removes complete interim responses from the beginning. `isHead` is undefined if more is needed to know what the rest is. */
function skipComplete(bytes: Buffer): { readonly rest: Buffer; readonly isHead: boolean | undefined } {
  for (let rest = bytes; ;) {
    const begin = rest.toString('latin1', 0, STATUS_LENGTH);
    if (begin === '' || BEGINNING.test(begin)) return { rest, isHead: undefined };
    if (!INTERIM.test(begin)) return { rest, isHead: true };
    const end = rest.indexOf(END_OF_HEAD);
    if (end === -1) return { rest, isHead: undefined };
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
}

export interface AnswerWatch {
  /** Whether nothing has arrived of an answer that is not the first of this connection. */
  isAwaitedAgain(): boolean;
}

/**
 * Leaves interim responses (100 Continue, 103 Early Hints) out of what is read from a socket: undici closes the connection at a 100 that it
 * did not ask for. They are looked for only between a request and its answer.
 */
export function skipInterimResponses(socket: Socket): AnswerWatch {
  const { read, write } = socket;
  let requests = 0;
  let isHeadExpected = false;
  let kept: Buffer = NOTHING;
  let skipped = 0;

  socket.read = (size?: number): unknown => {
    const chunk: unknown = read.call(socket, size);
    if (!isHeadExpected || !Buffer.isBuffer(chunk)) return chunk;
    const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    const { rest, isHead } = skipComplete(bytes);
    skipped += bytes.length - rest.length;
    isHeadExpected = isHead === undefined && skipped + rest.length <= MAX_INTERIM;
    kept = isHeadExpected ? rest : NOTHING;
    return isHeadExpected ? null : rest;
  };
  socket.write = (chunk: string | Uint8Array, ...more: never[]): boolean => {
    if (typeof chunk === 'string' && chunk.startsWith('POST ')) {
      requests += 1;
      isHeadExpected = true;
      skipped = 0;
    }
    return write.call(socket, chunk, ...more);
  };
  return { isAwaitedAgain: () => requests > 1 && isHeadExpected && skipped + kept.length === 0 };
}
