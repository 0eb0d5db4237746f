import type { Dispatcher } from 'undici';
import { SECOND } from '../../../foundation/clock.ts';
import type { AttemptRequest } from '../../../webhooks/ports/receiver.ts';
import { createExchange } from './exchange.ts';
import type { ExchangeResult } from './exchange.ts';
import { createStopList } from './stopList.ts';
import type { StopList } from './stopList.ts';

export const STOPPED = 'stopped';

function lateness(timeoutMs: number, hasHead: boolean, isNameAwaited: boolean): string {
  const limit = `within ${timeoutMs / SECOND} s`;
  if (isNameAwaited && !hasHead) return `the host name could not be looked up ${limit}`;
  return hasHead ? `the answer was not complete ${limit}` : `no answer ${limit}`;
}

/**
 * One listener per signal, however many attempts share it: a signal searches all its listeners whenever one is added or
 * removed, which would make a thousand attempts under way cost a million steps.
 */
function createRosterBySignal(): (signal: AbortSignal) => StopList {
  const known = new WeakMap<AbortSignal, StopList>();
  return (signal) => {
    const found = known.get(signal);
    if (found !== undefined) return found;
    const roster = createStopList();
    known.set(signal, roster);
    signal.addEventListener('abort', () => roster.stopAll(), { once: true });
    return roster;
  };
}

/** Every exchange ends at its deadline, when its signal aborts, or when all are stopped; with or without undici's help. */
export function createRunningExchanges(dispatcher: Dispatcher, isNameAwaited: (host: string) => boolean) {
  const rosterOf = createRosterBySignal();
  const all = createStopList();

  return {
    begin(
      { headers, body, timeoutMs }: AttemptRequest,
      { host, origin, path }: { readonly host: string; readonly origin: string; readonly path: string },
      signal: AbortSignal | undefined,
      onEnd: (exchange: ExchangeResult) => void,
    ): void {
      const roster = signal === undefined ? undefined : rosterOf(signal);
      const attempt = createExchange((ended) => {
        clearTimeout(deadline);
        all.leave(seat);
        roster?.leave(rosterSeat);
        onEnd(ended);
      });
      const stop = (): void => attempt.giveUp(() => STOPPED);
      const giveUp = (): void => attempt.giveUp((hasHead) => lateness(timeoutMs, hasHead, isNameAwaited(host)));
      const deadline = setTimeout(giveUp, timeoutMs);
      const seat = all.enter(stop);
      const rosterSeat = roster?.enter(stop) ?? 0;
      dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, attempt.handler);
    },
    stop: () => all.stopAll(),
  };
}
