// Reads the head of each answer before undici does. undici closes the connection at an interim response that it did not ask for, and its
// parser refuses some heads that are odd but clear.
import type { Socket } from 'node:net';

/** An answer that cannot be understood. The message is shown to people. */
export const BAD_HEAD = 'STEWARD_BAD_HEAD';

/** `HTTP/1.1 1xx`, but not 101, which ends HTTP on this connection. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d\s/;
/** Of one answer, with its interim responses. What is longer is left to the parser, which refuses it. */
const MAX_HEAD = 64 * 1024;
/** A head that arrives in more parts is left to the parser too: each part is searched again with what came before it. */
const MAX_PARTS = 1000;
const STATUS_LENGTH = 'HTTP/1.1 100 '.length;
const NOTHING = Buffer.alloc(0);
const [CR, LF] = [0x0d, 0x0a];

/** Finds the empty line that ends a head, and returns where the rest begins; -1 if it has not arrived. */
function endOfHead(bytes: Buffer): number {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

const ODD =
  /[^\r]\n|\n[ \t]|\ncontent-length:[^]*\n(?:content-length|transfer-encoding):|\ntransfer-encoding:[^]*\ncontent-length:|^HTTP\/1\.[01] 0/i;

function problem(text: string): Error {
  return Object.assign(new Error(`the response is not HTTP/1.1: ${text}`), { code: BAD_HEAD });
}

const isLength = (line: string): boolean => /^content-length:/i.test(line);

/** Lines that end with LF alone and folded lines become usual ones; a length that is given twice, or beside chunks, is given once. */
function repaired(head: string): string {
  if (!ODD.test(head)) return head;
  const [status = '', ...lines] = head
    .trimEnd()
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  if (/^HTTP\/1\.[01] 0/.test(status)) throw problem('its status is below 100');
  const lengths = new Set(lines.filter(isLength).map((line) => line.slice('content-length:'.length).trim()));
  if (lengths.size > 1) throw problem('it has two different lengths');
  const others = lines.filter((line) => !isLength(line));
  const isChunked = others.some((line) => /^transfer-encoding:/i.test(line));
  // A server that sends both may disagree with its proxy about where the answer ends, so the connection is not used again.
  const body = isChunked
    ? lengths.size > 0
      ? ['Connection: close']
      : []
    : [...lengths].map((n) => `Content-Length: ${n}`);
  return [status, ...others, ...body, '', ''].join('\r\n');
}

interface FoundHead {
  /** Where the head begins, after the interim responses. */
  readonly at: number;
  /** Where the body begins; -1 if the head is not complete. */
  readonly end: number;
}

function findHead(bytes: Buffer): FoundHead {
  for (let at = 0; ;) {
    const length = endOfHead(bytes.subarray(at));
    if (length === -1) return { at, end: -1 };
    if (!INTERIM.test(bytes.toString('latin1', at, at + STATUS_LENGTH))) return { at, end: at + length };
    at += length;
  }
}

function withRepairedHead(bytes: Buffer, { at, end }: FoundHead): Buffer {
  const head = bytes.toString('latin1', at, end);
  const better = repaired(head);
  return better === head ? bytes.subarray(at) : Buffer.concat([Buffer.from(better, 'latin1'), bytes.subarray(end)]);
}

export interface AnswerWatch {
  /** Whether nothing has arrived of an answer that is not the first of this connection. */
  isAwaitedAgain(): boolean;
}

/** Leaves interim responses (100 Continue, 103 Early Hints) out of what is read from a socket, and repairs odd heads. */
export function watchAnswers(socket: Socket): AnswerWatch {
  const { read, write } = socket;
  let requests = 0;
  let isHeadExpected = false;
  let kept: Buffer = NOTHING;
  let skipped = 0;
  let parts = 0;

  function begin(bytes: Buffer): Buffer | null {
    const isHttp = 'HTTP/'.startsWith(bytes.toString('latin1', 0, 'HTTP/'.length));
    const found = findHead(bytes);
    parts += 1;
    isHeadExpected = isHttp && found.end === -1 && skipped + bytes.length <= MAX_HEAD && parts < MAX_PARTS;
    kept = isHeadExpected ? bytes.subarray(found.at) : NOTHING;
    skipped += found.at;
    if (isHeadExpected) return null;
    return found.end === -1 ? bytes : withRepairedHead(bytes, found);
  }

  socket.read = (size?: number): unknown => {
    const chunk: unknown = read.call(socket, size);
    if (!isHeadExpected || !Buffer.isBuffer(chunk)) return chunk;
    try {
      return begin(kept.length === 0 ? chunk : Buffer.concat([kept, chunk]));
    } catch (error) {
      socket.destroy(error instanceof Error ? error : undefined);
      return null;
    }
  };
  socket.write = (chunk: string | Uint8Array, ...more: never[]): boolean => {
    if (typeof chunk === 'string' && chunk.startsWith('POST ')) {
      requests += 1;
      isHeadExpected = true;
      kept = NOTHING;
      skipped = 0;
      parts = 0;
    }
    return write.call(socket, chunk, ...more);
  };
  return { isAwaitedAgain: () => requests > 1 && isHeadExpected && skipped + kept.length === 0 };
}
