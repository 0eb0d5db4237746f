import type { Dispatcher } from 'undici';
import { SECOND } from '../../../foundation/clock.ts';
import { memoize } from '../../../foundation/cache/memoize.ts';
import type { AttemptRequest } from '../../../webhooks/ports/receiver.ts';
import type { Endpoint } from '../addresses/endpoint.ts';
import type { NameWait } from '../addresses/nameCache.ts';
import { createExchange } from './exchange.ts';
import type { ExchangeResult } from './exchange.ts';
import type { Lateness } from './lateness.ts';
import { createStopList } from './stopList.ts';

export const STOPPED = 'stopped';

/** What the end of the time means. `awaited` is what a request without an answer waits for, if it is not the receiver. */
function outOfTime(timeoutMs: number, hasHead: boolean, awaited: NameWait | undefined) {
  const limit = `within ${timeoutMs / SECOND} s`;
  if (hasHead) return { kind: 'broken', reason: `the response was not complete ${limit}` } as const;
  if (awaited === undefined) return { kind: 'broken', reason: `no answer ${limit}` } as const;
  const reason = `the host name could not be looked up ${limit}`;
  if (awaited === 'name') return { kind: 'broken', reason } as const;
  return { kind: 'notSent', reason: `${reason}: the name servers of this machine do not answer, or are slow` } as const;
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

/** What was late is not the receiver: its answer may wait in a socket, or may have been lost during that time. */
const WAS_LATE = 'Steward itself was stopped or too busy for more than a second, so the outcome is not known';
/** After such a time, the answers that wait are read for this long before an attempt is given up. */
const READ_MS = SECOND;

export interface ExchangeDependencies {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  /** Opens a new connection for each request. */
  readonly fresh: Pick<Dispatcher, 'dispatch'>;
  /** Why a request waits for the look-up of a name that has taken this long; undefined if it does not. */
  readonly nameWaitsFor: (host: string, ms: number) => NameWait | undefined;
  readonly lateness: Lateness;
}

/** Starts exchanges and ends each at its deadline, when its signal aborts, or when all are stopped. */
export function createRunningExchanges({ dispatcher, fresh, nameWaitsFor, lateness }: ExchangeDependencies) {
  const all = createStopList();

  return {
    start(
      { headers, body, timeoutMs }: AttemptRequest,
      { host, origin, path }: Endpoint,
      signal: AbortSignal | undefined,
      onEnd: (result: ExchangeResult) => void,
    ): void {
      const startedAt = performance.now();
      const ofSignal = signal === undefined ? undefined : stopListOf(signal);
      const request = { origin, path, method: 'POST', headers, body } as const;

      function end(result: ExchangeResult): void {
        clearTimeout(deadline);
        all.remove(place);
        ofSignal?.remove(placeOfSignal);
        const isOwnFault = result.kind === 'broken' && result.lost !== undefined && lateness.wasLateSince(startedAt);
        onEnd(isOwnFault ? { ...result, kind: 'notSent', reason: WAS_LATE } : result);
      }

      /** A receiver may close an idle connection just when a request is sent on it. Then it is sent once more, on a new one. */
      let exchange = createExchange((result) => {
        if (result.kind !== 'broken' || result.lost?.isOfIdleConnection !== true) return end(result);
        exchange = createExchange(end);
        fresh.dispatch(request, exchange.handler);
      });

      function judge(isRead: boolean): void {
        if (!lateness.wasLateSince(startedAt)) {
          const awaited = nameWaitsFor(host, timeoutMs / 2);
          return exchange.giveUp((hasHead) => outOfTime(timeoutMs, hasHead, awaited));
        }
        if (isRead) return exchange.giveUp(() => ({ kind: 'notSent', reason: WAS_LATE }));
        deadline = setTimeout(judge, READ_MS, true);
      }
      const stop = (): void => exchange.giveUp(() => ({ kind: 'broken', reason: STOPPED }));
      // The timers of a process that was late run before it reads its sockets.
      let deadline = setTimeout(() => setImmediate(judge, false), timeoutMs);
      const place = all.add(stop);
      const placeOfSignal = ofSignal?.add(stop) ?? 0;
      dispatcher.dispatch(request, exchange.handler);
    },
    stopAll: () => all.stopAll(),
  };
}
