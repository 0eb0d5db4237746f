import type { Dispatcher } from 'undici';
import { ANSWER_LIMIT } from './answerText.ts';
import { wasUsedBefore } from '../connection/usedBefore.ts';
import { isAnswerLost, reasonFor } from './failureReason.ts';
import { ownTrouble } from './ownTrouble.ts';

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** There is no answer, or not all of it, and the receiver may have sent one. */
export interface LostAnswer {
  /** Whether the connection had been used before, and ended before this answer began: the receiver may have closed it as idle. */
  readonly isOfIdleConnection: boolean;
}

/** An answer may be incomplete and still have a status: `broken` keeps what was received before the end. */
export type ExchangeResult = { readonly headers: Headers; readonly chunks: readonly Buffer[] } & (
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'broken'; readonly reason: string; readonly lost?: LostAnswer | undefined }
  /** Steward itself lacks something that it needs to send. */
  | { readonly kind: 'notSent'; readonly reason: string }
);

export interface Exchange {
  readonly handler: Dispatcher.DispatchHandler;
  /** Ends the exchange. The reason depends on whether the head of the answer had arrived. */
  giveUp(decide: (hasHead: boolean) => { readonly kind: 'broken' | 'notSent'; readonly reason: string }): void;
}

const GIVEN_UP = new Error('given up');
const NO_CONTENT = 204;

function announcesBody(headers: Headers): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return length !== '0' || encoding !== undefined;
}

/** One request and its answer, as a handler for undici. Calls `onEnd` exactly once, in any order of events. */
export function createExchange(onEnd: (result: ExchangeResult) => void): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  /** 0 until the head has arrived. */
  let status = 0;
  let headers: Headers = {};
  const chunks: Buffer[] = [];
  let room = ANSWER_LIMIT;

  function end(): void {
    if (isOver) return;
    isOver = true;
    onEnd({ kind: 'answered', status, headers, chunks });
  }

  function breakOff(reason: string, kind: 'broken' | 'notSent', lost?: LostAnswer): void {
    if (isOver) return;
    isOver = true;
    onEnd({ kind, reason, headers, chunks, lost });
  }

  function fail(error: Error): void {
    const lack = isOver || status > 0 ? undefined : ownTrouble(error);
    if (lack !== undefined) return breakOff(lack, 'notSent');
    if (isOver) return;
    const lost = isAnswerLost(error) ? { isOfIdleConnection: status === 0 && wasUsedBefore(error) } : undefined;
    breakOff(reasonFor(error, status > 0), 'broken', lost);
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // Throwing drops a request that waited too long for a connection. Aborting would also destroy the connection.
      if (isOver) throw GIVEN_UP;
      controller = started;
    },
    onResponseStart(current, code, received) {
      if (code < 200) return;
      status = code;
      headers = received;
      if (code !== NO_CONTENT) return;
      // The status decides. A body that follows anyway would be taken for the answer to the next request.
      end();
      if (announcesBody(received)) current.abort(GIVEN_UP);
    },
    onResponseData(current, chunk) {
      if (isOver) return;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      room -= chunk.length;
      if (room >= 0) return;
      // Status and enough of the body are known: the outcome is valid, and the connection is closed to end the answer.
      end();
      current.abort(GIVEN_UP);
    },
    onResponseEnd: end,
    onResponseError: (_controller, error) => fail(error),
  };

  return {
    handler,
    giveUp(decide) {
      if (isOver) return;
      const { kind, reason } = decide(status > 0);
      breakOff(reason, kind);
      controller?.abort(GIVEN_UP);
    },
  };
}
