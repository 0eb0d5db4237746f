import { fork } from 'node:child_process';
import { track } from './running.ts';

/** A program of ours in a process of its own, which answers questions. */
export interface Helper<Q, A> {
  readonly pid: number;
  ask(question: Q): Promise<A>;
  end(): void;
}

interface Answer<A> {
  readonly n: number;
  readonly answer?: A;
  readonly problem?: string;
}

export function startHelper<Q, A>(program: string, ...args: readonly string[]): Helper<Q, A> {
  const child = track(fork(program, args, { serialization: 'advanced' }));
  const waiting = new Map<number, { resolve(answer: A): void; reject(error: Error): void }>();
  let asked = 0;
  child.on('message', ({ n, answer, problem }: Answer<A>) => {
    if (problem === undefined) waiting.get(n)?.resolve(answer as A);
    else waiting.get(n)?.reject(new Error(problem));
    waiting.delete(n);
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended early with ${code}`));
  });
  return {
    pid: child.pid ?? 0,
    ask: (question) =>
      new Promise((resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        child.send({ n: asked, question });
      }),
    end: () => void child.kill(),
  };
}

/** The other side: what such a program does with a question. */
export function answerQuestions(reply: (question: never) => unknown): void {
  process.on('message', ({ n, question }: { readonly n: number; readonly question: never }) => {
    void (async () => {
      try {
        process.send?.({ n, answer: await reply(question) });
      } catch (error) {
        process.send?.({ n, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      }
    })();
  });
}
