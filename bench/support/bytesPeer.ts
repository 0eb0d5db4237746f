// The least that any node:http server does: reads the request, and answers the bytes of a file from one Buffer.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file = ''] = process.argv.slice(2);
const answer = readFileSync(file);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const isAsked = Buffer.concat(chunks).length > 0;
    response.writeHead(isAsked ? 200 : 400, {
      'Content-Type': 'text/xml; charset=utf-8',
      'Content-Length': answer.length,
    });
    response.end(answer);
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}\n`);
});
