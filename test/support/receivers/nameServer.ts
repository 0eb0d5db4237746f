// A name server for tests, on port 53 of a loopback address: a program that is given its address in /etc/resolv.conf asks it alone.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { Socket as UdpSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { until } from '../run/until.ts';

/** What a question gets. */
export type NameAnswer =
  | { readonly kind: 'address'; readonly afterMs?: number; readonly isTruncated?: boolean }
  | { readonly kind: 'failure'; readonly code: 'SERVFAIL' | 'NXDOMAIN' }
  | { readonly kind: 'silence' };

/** Decides about a question. `count` is the number of questions about this name so far, over UDP and TCP. */
export type DecideName = (name: string, count: number) => NameAnswer;

export interface NameServer {
  readonly address: string;
  close(): Promise<void>;
}

const PORT = 53;
const CODES = { SERVFAIL: 2, NXDOMAIN: 3 };
const [IS_ANSWER, IS_TRUNCATED, CAN_RECURSE] = [0x8100, 0x0200, 0x0080];
const HEADER = 12;
const TYPE_A = 1;
/** The place of the name in the question, the type A, the class IN, a second to live, and 127.0.0.1. */
const RECORD = Buffer.from([0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);

function readQuestion(message: Buffer) {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  return {
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at + 1),
    bytes: message.subarray(HEADER, end),
  };
}

function reply(message: Buffer, answer: NameAnswer, isUdp: boolean): Buffer | undefined {
  if (answer.kind === 'silence') return undefined;
  const { type, bytes } = readQuestion(message);
  const isCut = isUdp && answer.kind === 'address' && answer.isTruncated === true;
  const records = answer.kind === 'address' && type === TYPE_A && !isCut ? [RECORD] : [];
  const code = answer.kind === 'failure' ? CODES[answer.code] : 0;
  const header = Buffer.alloc(HEADER);
  header.writeUInt16BE(message.readUInt16BE(0), 0);
  header.writeUInt16BE(IS_ANSWER | CAN_RECURSE | (isCut ? IS_TRUNCATED : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, bytes, ...records]);
}

async function bindUdp(address: string): Promise<UdpSocket> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).bind(PORT, address, resolve);
  });
  return socket;
}

async function listenTcp(address: string, onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(PORT, address, resolve);
  });
  return server;
}

/** Starts a name server on a free loopback address. Needs the right to use port 53. */
export async function startNameServer(decide: DecideName): Promise<NameServer> {
  const address = ['127', ...Array.from({ length: 3 }, () => randomInt(2, 250))].join('.');
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  let isClosed = false;

  async function answerTo(message: Buffer, isUdp: boolean, send: (bytes: Buffer) => void): Promise<void> {
    const { name } = readQuestion(message);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const answer = decide(name, counts.get(name) ?? 0);
    const at = Date.now() + (answer.kind === 'address' ? (answer.afterMs ?? 0) : 0);
    await until('it is time to answer', () => Date.now() >= at || isClosed);
    const bytes = reply(message, answer, isUdp);
    if (bytes !== undefined && !isClosed) send(bytes);
  }

  const udp = await bindUdp(address);
  udp.on('message', (message, { address: from, port }) => {
    void answerTo(message, true, (bytes) => udp.send(bytes, port, from));
  });
  const tcp = await listenTcp(address, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      // A length stands before each question; several may come together.
      while (received.length > 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const question = received.subarray(2, end);
        received = received.subarray(end);
        void answerTo(question, false, (bytes) => {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(bytes.length);
          socket.write(Buffer.concat([length, bytes]));
        });
      }
    });
  });
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        isClosed = true;
        for (const socket of sockets) socket.destroy();
        tcp.close(() => udp.close(() => resolve()));
      }),
  };
}
