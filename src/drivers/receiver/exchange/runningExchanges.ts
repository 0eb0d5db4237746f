import type { Dispatcher } from 'undici';
import { SECOND } from '../../../foundation/clock.ts';
import { memoize } from '../../../foundation/memoize.ts';
import type { AttemptRequest } from '../../../webhooks/ports/receiver.ts';
import type { Endpoint } from '../addresses/endpoint.ts';
import { createExchange } from './exchange.ts';
import type { ExchangeResult } from './exchange.ts';
import { createStopList } from './stopList.ts';

export const STOPPED = 'stopped';

function lateReason(timeoutMs: number, hasHead: boolean, isNameAwaited: boolean): string {
  const limit = `within ${timeoutMs / SECOND} s`;
  if (isNameAwaited && !hasHead) return `the host name could not be looked up ${limit}`;
  return hasHead ? `the response was not complete ${limit}` : `no answer ${limit}`;
}

/**
 * Adds one listener to each signal, for any number of exchanges that share it. A signal searches all its listeners whenever one
 * is added or removed, so one listener for each of a thousand exchanges would cost a million steps.
 */
const stopListOf = memoize((signal: AbortSignal) => {
  const stopList = createStopList();
  signal.addEventListener('abort', () => stopList.stopAll(), { once: true });
  return stopList;
});

/** Starts exchanges and ends each at its deadline, when its signal aborts, or when all are stopped. */
export function createRunningExchanges(dispatcher: Dispatcher, isNameAwaited: (host: string) => boolean) {
  const all = createStopList();

  return {
    start(
      { headers, body, timeoutMs }: AttemptRequest,
      { host, origin, path }: Endpoint,
      signal: AbortSignal | undefined,
      onEnd: (result: ExchangeResult) => void,
    ): void {
      const ofSignal = signal === undefined ? undefined : stopListOf(signal);
      const exchange = createExchange((result) => {
        clearTimeout(deadline);
        all.remove(place);
        ofSignal?.remove(placeOfSignal);
        onEnd(result);
      });
      const stop = (): void => exchange.giveUp(() => STOPPED);
      const giveUp = (): void => exchange.giveUp((hasHead) => lateReason(timeoutMs, hasHead, isNameAwaited(host)));
      const deadline = setTimeout(giveUp, timeoutMs);
      const place = all.add(stop);
      const placeOfSignal = ofSignal?.add(stop) ?? 0;
      dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, exchange.handler);
    },
    stopAll: () => all.stopAll(),
  };
}
