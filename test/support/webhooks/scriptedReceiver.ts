import { setMaxListeners } from 'node:events';
import type { AttemptOutcome, Receiver, AttemptRequest, SendOutcome } from '../../../src/webhooks/ports/receiver.ts';

export interface ScriptedReceiver extends Receiver {
  readonly sent: readonly AttemptRequest[];
  /** Sets the answer to all later requests. */
  answerWith(answer: (request: AttemptRequest) => SendOutcome | Promise<SendOutcome>): void;
}

export const OK: AttemptOutcome = { kind: 'accepted', status: 200, durationMs: 1, answer: 'ok' };
export const BROKEN: AttemptOutcome = {
  kind: 'refused',
  status: 500,
  reason: 'the receiver answered 500',
  durationMs: 1,
  answer: 'broken',
};

type Answer = (request: AttemptRequest) => SendOutcome | Promise<SendOutcome>;

const answerOk: Answer = () => OK;

/** A receiver whose answers the test decides. */
export function scriptedReceiver(): ScriptedReceiver {
  const sent: AttemptRequest[] = [];
  let answer = answerOk;
  return {
    sent,
    answerWith(next) {
      answer = next;
    },
    async send(request, signal) {
      if (signal !== undefined) setMaxListeners(0, signal);
      sent.push(request);
      let stop: (() => void) | undefined;
      const stopped = new Promise<AttemptOutcome>((resolve) => {
        stop = () => resolve({ kind: 'unreachable', reason: 'stopped', durationMs: 0, answer: '' });
        signal?.addEventListener('abort', stop, { once: true });
      });
      const outcome = await Promise.race([answer(request), stopped]);
      if (stop !== undefined) signal?.removeEventListener('abort', stop);
      return outcome;
    },
    problemWith: async (url, namesAddress) =>
      url.includes('forbidden') ? `is a private address${namesAddress === true ? ' (10.9.9.9)' : ''}` : undefined,
    close: async () => undefined,
  };
}
