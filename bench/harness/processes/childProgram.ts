import { fork } from 'node:child_process';
import { trackChild } from './workspace.ts';

export interface Child<Request, Reply> {
  readonly pid: number;
  ask(request: Request): Promise<Reply>;
  end(): Promise<void>;
}

type Handler<Request, Reply> = (request: Request) => Reply | Promise<Reply>;
type Open<Options extends readonly unknown[], Request, Reply> = (
  ...options: Options
) => Handler<Request, Reply> | Promise<Handler<Request, Reply>>;

/** Number 0 carries the options, every other number a request. */
interface Sent {
  readonly number: number;
  readonly content: unknown;
}

interface Received<Reply> {
  readonly number: number;
  readonly reply?: Reply;
  readonly problem?: string;
}

function start<Request, Reply>(file: string, options: readonly unknown[]): Child<Request, Reply> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const child = trackChild(fork(file, { env, serialization: 'advanced' }));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const waiting = new Map<number, { resolve(reply: Reply): void; reject(error: Error): void }>();
  let asked = 0;
  child.on('message', ({ number, reply, problem }: Received<Reply>) => {
    if (problem === undefined) waiting.get(number)?.resolve(reply as Reply);
    else waiting.get(number)?.reject(new Error(problem));
    waiting.delete(number);
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended early with ${code}`));
  });
  child.send({ number: 0, content: options } satisfies Sent);
  return {
    pid: child.pid ?? 0,
    ask: (content) =>
      new Promise((resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        child.send({ number: asked, content } satisfies Sent);
      }),
    end() {
      child.kill();
      return exited;
    },
  };
}

function serve<Options extends readonly unknown[], Request, Reply>(open: Open<Options, Request, Reply>): void {
  let handler: Promise<Handler<Request, Reply>> | undefined;
  const answer = async ({ number, content }: Sent): Promise<unknown> => {
    handler ??= (async () => open(...(content as Options)))();
    return number === 0 ? void (await handler) : (await handler)(content as Request);
  };
  process.on('message', (sent: Sent) => {
    answer(sent).then(
      (reply) => process.send?.({ number: sent.number, reply }),
      (error: unknown) => {
        const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.send?.({ number: sent.number, problem });
      },
    );
  });
}

/**
 * Defines a program that runs in a separate process, so that the benchmark and the program do not slow each other down.
 * `file` is the module that calls this: the result starts it as a child, and in the child this call answers the requests.
 */
export function childProgram<Options extends readonly unknown[], Request, Reply>(
  file: string,
  open: Open<Options, Request, Reply>,
): (...options: Options) => Child<Request, Reply> {
  if (process.argv[1] === file) serve(open);
  return (...options) => start(file, options);
}
