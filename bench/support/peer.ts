import { createServer } from 'node:http';
import { DatabaseSync } from '@photostructure/sqlite';

/** The handler that one would write by hand: every form is an insert of its own, on disk before it is answered. */
function openTable(file: string): (description: string) => void {
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table kept (id integer primary key, at integer not null, description text not null)`);
  // A statement does not keep its database from being collected; this does.
  process.once('exit', () => database.close());
  const insert = database.prepare('insert into kept (at, description) values (?, ?)');
  return (description) => void insert.run(Date.now(), description);
}

const [answer = '{}', file] = process.argv.slice(2);
const answered: unknown = JSON.parse(answer);
const keep = file === undefined ? undefined : openTable(file);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    keep?.(form.get('description') ?? '');
    const body = JSON.stringify(answered);
    response.writeHead(form.has('token') ? 200 : 401, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}\n`);
});
