import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { track } from './running.ts';

export interface Probe {
  /** The longest time to an answer, in ms, since this was last asked; a request that is on its way counts. */
  take(): Promise<number>;
  end(): void;
}

/** In a process of its own, so that what its user is doing does not look like a slow server. */
export function startProbe(url: string): Probe {
  const child = track(fork(fileURLToPath(import.meta.resolve('./probing.js')), [url]));
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('exit', () => reject(new Error('the probe ended early')));
  });
  ended.catch(() => undefined);
  return {
    take() {
      const taken = new Promise<number>((resolve) => {
        child.once('message', (longest) => resolve(Number(longest)));
      });
      child.send('take');
      return Promise.race([taken, ended]);
    },
    end: () => void child.kill(),
  };
}
