// Lets a pod run the command of a pair, whose servers are on this machine: a program in a shared folder sends each call over a
// socket.
import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isObject, parseJson, valueAt } from '../../../src/foundation/schema/json.ts';
import { temporaryFolder } from '../run/runFolder.ts';

const PROGRAM = `#!/usr/local/bin/node
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
const socket = connect(new URL('socket', import.meta.url).pathname);
socket.end(JSON.stringify({ args: process.argv.slice(2), fence: process.env.STEWARD_DATABASE_FENCE }));
const { status, output } = JSON.parse(await text(socket));
process.stdout.write(output);
process.exitCode = status;
`;

export interface Relay {
  /** The folder that pods must see under the same path. */
  readonly folder: string;
  /** The path of the program, for STEWARD_DATABASE_COMMAND. */
  readonly program: string;
  close(): Promise<void>;
}

/** Is called before and after each call that changes something, and may delay it. */
export type OnCall = (verb: string, when: 'before' | 'after') => Promise<void>;

interface Ended {
  readonly status: number;
  readonly output: string;
}

async function run(command: string, args: readonly string[], fence: string): Promise<Ended> {
  const child = spawn(command, args, { env: { ...process.env, STEWARD_DATABASE_FENCE: fence } });
  const ended = new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
  const [status, ...output] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { status, output: output.join('') };
}

/** Starts the relay to a command. */
export async function startRelay(command: string, onCall: OnCall): Promise<Relay> {
  const folder = temporaryFolder();
  const [program, socket] = [join(folder.path, 'command.mjs'), join(folder.path, 'socket')];
  writeFileSync(program, PROGRAM);

  async function answer(call: unknown): Promise<Ended> {
    const args = valueAt(call, 'args');
    if (!isObject(call) || !Array.isArray(args)) throw new Error('the call cannot be read');
    const words = args.map(String);
    const [verb = ''] = words;
    const isChange = verb !== 'describe';
    if (isChange) await onCall(verb, 'before');
    const ended = await run(command, words, String(call['fence']));
    if (isChange) await onCall(verb, 'after');
    return ended;
  }

  // A command goes on when the pod that sent it has died, as it does where Steward runs beside the servers.
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connection.on('error', () => undefined);
    // Not with `text`, which would close the connection at the end of what it reads.
    let call = '';
    connection.setEncoding('utf8').on('data', (part: string) => (call += part));
    connection.on('end', () => {
      answer(parseJson(call)).then(
        (ended) => connection.end(JSON.stringify(ended)),
        () => connection.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  for (const path of [folder.path, program]) chmodSync(path, 0o755);
  // Pods run as another user.
  chmodSync(socket, 0o666);
  return {
    folder: folder.path,
    program,
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      folder.remove();
    },
  };
}
