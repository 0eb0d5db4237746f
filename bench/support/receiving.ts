// Receivers of webhooks: so many origins in one process. They count, remember when what arrived, and may be told to hang.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { answerQuestions } from './helper.ts';
import { instant } from './instant.ts';
import type { AboutReceivers, Received } from './receivers.ts';

const OK = 'ok';
const [wanted = '1'] = process.argv.slice(2);
let counts = { requests: 0, bytes: 0, unsigned: 0, repeated: 0 };
let arrivals = new Map<string, number>();
let hanging = -1;
let held: ServerResponse[] = [];

function take({ headers }: IncomingMessage, bytes: number): void {
  const [id, signature] = [headers['webhook-id'], headers['webhook-signature']];
  counts.requests += 1;
  counts.bytes += bytes;
  if (signature === undefined) counts.unsigned += 1;
  if (typeof id !== 'string') return;
  if (arrivals.has(id)) counts.repeated += 1;
  else arrivals.set(id, instant());
}

function listen(n: number): Promise<string> {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => {
      take(request, bytes);
      if (n === hanging) held.push(response);
      else response.end(OK);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 1024, () => {
      const address = server.address();
      resolve(typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '');
    });
  });
}

const origins = await Promise.all(Array.from({ length: Number(wanted) }, (_, n) => listen(n)));

answerQuestions((question: AboutReceivers): Received => {
  if (question.kind === 'reset') {
    counts = { requests: 0, bytes: 0, unsigned: 0, repeated: 0 };
    arrivals = new Map();
  }
  if (question.kind === 'hang') {
    hanging = question.receiver;
    for (const response of held) response.end(OK);
    held = [];
  }
  return { ...counts, origins, arrivals: question.kind === 'arrivals' ? arrivals : new Map() };
});
