import { createServer } from 'node:http';
import { childServer, listenOnFreePort } from '../harness/processes/childServer.ts';

/** Starts the least that any node:http server does: it reads the request and answers these bytes. */
export const startBytesServer = childServer(import.meta.filename, (answer: Buffer) => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const hasBody = Buffer.concat(chunks).length > 0;
      response.writeHead(hasBody ? 200 : 400, {
        'Content-Type': 'text/xml; charset=utf-8',
        'Content-Length': answer.length,
      });
      response.end(answer);
    });
  });
  return listenOnFreePort(server);
});
