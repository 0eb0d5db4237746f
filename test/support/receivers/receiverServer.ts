import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../store/postgres.ts';
import { spawnChild, temporaryFolder } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import type { ServerName, ServerProgram } from './serverPrograms.ts';
import { LEDGER, PROGRAMS } from './serverPrograms.ts';

export interface ReceiverServer {
  readonly url: string;
  readonly program: ServerProgram;
  /** How often the server has handled each delivery, by `webhook-id`. */
  handled(): ReadonlyMap<string, number>;
  reload(): void;
  stop(): Promise<void>;
}

function hasAnswer(url: string): Promise<boolean> {
  return fetch(url, { method: 'POST', headers: { connection: 'close' } }).then(
    ({ status }) => status < 300,
    () => false,
  );
}

/** Starts a web server as a receiver, and waits until it answers. */
export async function startReceiverServer(name: ServerName): Promise<ReceiverServer> {
  const program = PROGRAMS[name];
  const folder = temporaryFolder();
  const place = { folder: folder.path, port: await freePort() };
  mkdirSync(place.folder, { recursive: true });
  for (const [file, text] of Object.entries(program.files(place))) writeFileSync(join(place.folder, file), text);
  const [file, ...args] = program.command(place);
  const env = { PATH: process.env['PATH'], HOME: place.folder };
  // Most have workers, which end with their group.
  const child = spawnChild(file, args, { env, cwd: place.folder, isGroup: true });
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${place.port}`;
  await until(`${name} answers`, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}:\n${log}`);
    return hasAnswer(`${url}/hook`);
  });
  return {
    url,
    program,
    handled() {
      const ledger = join(place.folder, LEDGER);
      const text = existsSync(ledger) ? readFileSync(ledger, 'utf8') : log;
      const counts = new Map<string, number>();
      for (const [, id = ''] of text.matchAll(/^(evt_\S+) \d+$/gm)) counts.set(id, (counts.get(id) ?? 0) + 1);
      return counts;
    },
    reload: () => void (program.reload !== undefined && child.kill(program.reload)),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      folder.remove();
    },
  };
}
