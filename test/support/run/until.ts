import { setTimeout as delay } from 'node:timers/promises';
import { WAIT_TIMEOUT_MS } from './limits.ts';

const LOOK_EVERY_MS = 10;

/** Waits until a condition holds, for as long as a test may take. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<void> {
  const giveUpAt = Date.now() + WAIT_TIMEOUT_MS;
  while (!(await isTrue())) {
    if (Date.now() > giveUpAt) throw new Error(`Waited in vain until ${what}.`);
    await delay(lookEveryMs);
  }
}

/** Does something again and again until it is ended. A failure is printed. */
export function repeat(everyMs: number, act: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(act).catch((error: unknown) => void process.stderr.write(`${String(error)}\n`));
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

/** Lets a random time pass, so that the next step happens at another moment in each run. Do not assert anything about it. */
export async function randomPause(atMostMs: number): Promise<void> {
  await delay(Math.random() * atMostMs);
}

/** Lets the event loop turn: code that waits only for promises and sockets of this process gets on. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until a condition holds, without a timer: for tests with fake timers. */
export async function turnsUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turns(1);
}
