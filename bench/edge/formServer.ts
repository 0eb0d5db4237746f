import { createServer } from 'node:http';
import { DatabaseSync } from '@photostructure/sqlite';
import { childServer, listenOnFreePort } from '../harness/processes/childServer.ts';

/** What one would write by hand: every form is a separate insert, on disk before it is answered. */
function openTable(file: string): (description: string) => void {
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table kept (id integer primary key, at integer not null, description text not null)`);
  // The listener keeps the database from being garbage-collected; the statement alone does not.
  process.once('exit', () => database.close());
  const insert = database.prepare('insert into kept (at, description) values (?, ?)');
  return (description) => void insert.run(Date.now(), description);
}

/** Starts a bare node:http server that reads a form, keeps it if it has a database file, and answers this JSON. */
export const startFormServer = childServer(import.meta.filename, (answer: string, databaseFile?: string) => {
  const answered: unknown = JSON.parse(answer);
  const keep = databaseFile === undefined ? undefined : openTable(databaseFile);
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
  return listenOnFreePort(server);
});
