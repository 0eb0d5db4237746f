import { setTimeout as delay } from 'node:timers/promises';
import { TEST_TIMEOUT_MS } from './limits.ts';

const LOOK_EVERY_MS = 10;
/** A little less than a test may take, so that the error can say what was missing. */
const GIVE_UP_AFTER_MS = TEST_TIMEOUT_MS - 20_000;

/** Waits until a condition holds, for as long as a test may take. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  while (!(await isTrue())) {
    if (Date.now() > giveUpAt) throw new Error(`Waited in vain until ${what}.`);
    await delay(LOOK_EVERY_MS);
  }
}

/** Lets a random time pass, so that whatever comes next happens at another moment in each run. Assert nothing about it. */
export async function randomPause(atMostMs: number): Promise<void> {
  await delay(Math.random() * atMostMs);
}
