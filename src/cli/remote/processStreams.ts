import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure } from './exitCodes.ts';
import type { Streams } from './streams.ts';

function askOnTerminal(question: string, isSecret: boolean): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: isSecret ? silent : process.stderr, terminal: true });
  return new Promise((resolve, reject) => {
    if (isSecret) process.stderr.write(question);
    lines.once('SIGINT', () => {
      lines.close();
      process.stderr.write('\n');
      reject(new CommandFailure('interrupted', 'Cancelled.'));
    });
    lines.question(isSecret ? '' : question, (answer) => {
      lines.close();
      if (isSecret) process.stderr.write('\n');
      resolve(answer);
    });
  });
}

/** The streams of this process. */
export function processStreams(): Streams {
  return {
    environment: process.env,
    home: homedir(),
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    canAsk: process.stdin.isTTY && process.stderr.isTTY,
    print: (written) => void process.stdout.write(written),
    printError: (written) => void process.stderr.write(written),
    printBytes: (bytes) => new Promise((resolve) => void process.stdout.write(bytes, () => resolve())),
    ask: (question, kind) => askOnTerminal(question, kind === 'secret'),
    readInput: () => text(process.stdin),
    stopped: () =>
      new Promise((resolve) => {
        process.once('SIGINT', () => resolve());
        process.once('SIGTERM', () => resolve());
      }),
  };
}
