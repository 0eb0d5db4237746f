// Work in small steps: all at once where only one thing is done, or in turns with the other work of a server.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that can pause at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>;

const SLICE_MS = 20;

/** Does all steps at once. */
export function allAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does the steps, and lets other work of the process go on after each slice of time. */
export async function inTurns<T>(steps: Steps<T>, sliceMs = SLICE_MS): Promise<T> {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - began < sliceMs) continue;
    await nextTurn();
    began = performance.now();
  }
}
