// Gives the HTTP parser of a connection one request at a time. Without this, node parses a packet of 64 KiB with 2,500 pipelined
// requests in one go, and all other connections wait until each of them has been handled.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

type Deliver = (bytes: Buffer) => void;

interface Gate {
  /** What the parser found last. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** The bytes that are missing in the body of `request`, if its length is known. */
  missing: number;
  /** The last two bytes of a head that has not ended: its end may have begun in them. */
  tail: string;
  /** Bytes that arrived too early. The connection is not read while there are any. */
  waiting: Buffer | undefined;
}

const GATE = Symbol('gate');
type Connection = Socket & { [GATE]?: Gate };
type GatedRequest = IncomingMessage & { readonly socket: Connection };

/** Ends a head, and a chunked body. */
const END = Buffer.from('\n\r\n');

/** Heads that node answers itself, blank lines and ends of chunks are not followed by an answer to wait for. */
const PARTS_PER_TURN = 16;

/** How many bytes of the end of a head are at the start of a packet whose predecessor ended within it. */
function lengthOfSplitEnd(tail: string, bytes: Buffer): number {
  if (tail === '') return 0;
  const [before, seam] = [tail.length, tail + bytes.toString('latin1', 0, 2)];
  const at = seam.indexOf('\n\r\n');
  return at === -1 ? 0 : at + END.length - before;
}

/** The length of the part of `bytes` that belongs to one request at most. */
function lengthOfPart({ missing, tail }: Gate, bytes: Buffer): number {
  if (missing > 0) return Math.min(missing, bytes.length);
  const split = lengthOfSplitEnd(tail, bytes);
  if (split > 0) return split;
  const end = bytes.indexOf(END);
  return end === -1 ? bytes.length : end + END.length;
}

/** Tells whether a request has arrived as a whole and is not answered yet. */
function isBusy({ request, response }: Gate): boolean {
  return request?.complete === true && response?.closed === false;
}

/** What the next packet may continue: the beginning of an end, but not an end. */
function tailOf(text: string): string {
  return text.endsWith('\n\r\n') ? '' : text.slice(1 - END.length);
}

function deliverPart(gate: Gate, bytes: Buffer, deliver: Deliver): number {
  const length = lengthOfPart(gate, bytes);
  const part = length === bytes.length ? bytes : bytes.subarray(0, length);
  if (gate.missing > 0) gate.missing -= length;
  else gate.tail = tailOf(gate.tail + part.toString('latin1', Math.max(0, length - END.length)));
  deliver(part);
  return length;
}

function createFeed(socket: Socket, gate: Gate, deliver: Deliver): Deliver {
  function proceed(): void {
    const bytes = gate.waiting;
    gate.waiting = undefined;
    if (bytes === undefined || !socket.writable) return;
    feed(bytes);
    if (gate.waiting === undefined) socket.resume();
  }

  /** Lets the event loop serve the other connections before the next request. */
  function postpone(bytes: Buffer): void {
    gate.waiting = bytes;
    socket.pause();
    if (isBusy(gate)) gate.response?.once('close', () => setImmediate(proceed));
    else setImmediate(proceed);
  }

  function feed(bytes: Buffer): void {
    let rest = bytes;
    for (let parts = 0; rest.length > 0 && socket.writable; parts++) {
      if (isBusy(gate) || parts === PARTS_PER_TURN) return postpone(rest);
      rest = rest.subarray(deliverPart(gate, rest, deliver));
    }
  }

  return (bytes) => {
    if (gate.waiting === undefined) return feed(bytes);
    gate.waiting = Buffer.concat([gate.waiting, bytes]);
    socket.pause();
  };
}

/**
 * Handles one request of a connection at a time, and leaves the event loop between two of them. What a client sends beside it waits
 * as bytes, at most a packet; then the connection is not read.
 */
export function handleOneAtATime(server: Server): void {
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Connection) => {
    const parse = socket.listeners('data')[0];
    if (parse === undefined) throw new Error('the HTTP server does not read the connection');
    const gate: Gate = { request: undefined, response: undefined, missing: 0, tail: '', waiting: undefined };
    socket[GATE] = gate;
    socket.removeAllListeners('data');
    socket.on(
      'data',
      createFeed(socket, gate, (bytes) => void Reflect.apply(parse, socket, [bytes])),
    );
  });
  server.prependListener('request', (request: GatedRequest, response: ServerResponse) => {
    const gate = request.socket[GATE];
    if (gate === undefined) return;
    gate.request = request;
    gate.response = response;
    gate.missing = Number(request.headers['content-length'] ?? 0);
  });
}
