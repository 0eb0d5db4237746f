import type { Dispatcher } from 'undici';
import { ANSWER_LIMIT } from './answerText.ts';
import { reasonFor } from './failureReason.ts';

type Head = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** What is known of an exchange at its end, whole or broken off. */
export interface ExchangeResult {
  /** 0 until the head has come. */
  readonly status: number;
  readonly head: Head;
  readonly chunks: readonly Buffer[];
  /** Set when there is no whole answer. */
  readonly reason?: string | undefined;
}

export interface Exchange {
  readonly handler: Dispatcher.DispatchHandler;
  /** The words depend on whether a head had come. */
  giveUp(words: (hasHead: boolean) => string): void;
}

const GIVEN_UP = new Error('given up');

/** One request on its way through undici. `onEnd` is called once, whatever happens in whatever order. */
export function createExchange(onEnd: (exchange: ExchangeResult) => void): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  let status = 0;
  let head: Head = {};
  const chunks: Buffer[] = [];
  let room = ANSWER_LIMIT;

  function end(reason?: string): void {
    if (isOver) return;
    isOver = true;
    onEnd({ status, head, chunks, reason });
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // Throwing drops a request that waited too long for a connection; aborting would destroy the connection as well.
      if (isOver) throw GIVEN_UP;
      controller = started;
    },
    onResponseStart(_controller, code, headers) {
      if (code < 200) return;
      status = code;
      head = headers;
    },
    onResponseData(current, chunk) {
      if (isOver) return;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      room -= chunk.length;
      if (room >= 0) return;
      // The status was heard and enough was read: the outcome stands, and an endless answer is cut off with its connection.
      end();
      current.abort(GIVEN_UP);
    },
    onResponseEnd: () => end(),
    onResponseError: (_controller, error) => end(isOver ? '' : reasonFor(error, status > 0)),
  };

  return {
    handler,
    giveUp(words) {
      if (isOver) return;
      end(words(status > 0));
      controller?.abort(GIVEN_UP);
    },
  };
}
