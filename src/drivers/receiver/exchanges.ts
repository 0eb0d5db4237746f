import type { Dispatcher } from 'undici';
import { SECOND } from '../../foundation/clock.ts';
import type { Shipment } from '../../webhooks/receiver.ts';
import { createAttempt } from './attempt.ts';
import type { Exchange } from './attempt.ts';

type Stops = Set<() => void>;

export const STOPPED = 'stopped';

function lateness(timeoutMs: number, hasHead: boolean): string {
  const limit = `within ${timeoutMs / SECOND} s`;
  return hasHead ? `the answer was not complete ${limit}` : `no answer ${limit}`;
}

function stopAll(stops: Stops): void {
  // Each takes itself out of the set while it is gone through, which a Set allows.
  for (const stop of stops) stop();
}

/**
 * One listener per signal, however many attempts share it: a signal searches all its listeners whenever one is added or
 * removed, which would make a thousand attempts under way cost a million steps.
 */
function createStopsBySignal(): (signal: AbortSignal) => Stops {
  const known = new WeakMap<AbortSignal, Stops>();
  return (signal) => {
    const found = known.get(signal);
    if (found !== undefined) return found;
    const stops: Stops = new Set();
    known.set(signal, stops);
    signal.addEventListener('abort', () => stopAll(stops), { once: true });
    return stops;
  };
}

/** Every exchange ends at its deadline, when its signal aborts, or when all are stopped; with or without undici's help. */
export function createExchanges(dispatcher: Dispatcher) {
  const stopsOf = createStopsBySignal();
  const underWay: Stops = new Set();

  return {
    begin(
      { headers, body, timeoutMs }: Shipment,
      { origin, path }: { readonly origin: string; readonly path: string },
      signal: AbortSignal | undefined,
      onEnd: (exchange: Exchange) => void,
    ): void {
      const stops = signal === undefined ? undefined : stopsOf(signal);
      const attempt = createAttempt((ended) => {
        clearTimeout(deadline);
        underWay.delete(stop);
        stops?.delete(stop);
        onEnd(ended);
      });
      const stop = (): void => attempt.giveUp(() => STOPPED);
      const deadline = setTimeout(() => attempt.giveUp((hasHead) => lateness(timeoutMs, hasHead)), timeoutMs);
      underWay.add(stop);
      stops?.add(stop);
      dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, attempt.handler);
    },
    stop: () => stopAll(underWay),
  };
}
