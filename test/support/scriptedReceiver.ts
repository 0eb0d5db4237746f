import type { AttemptOutcome, Receiver, Shipment } from '../../src/webhooks/receiver.ts';

export interface ScriptedReceiver extends Receiver {
  readonly sent: readonly Shipment[];
  /** How what is sent from now on is answered. */
  answerWith(answer: (shipment: Shipment) => AttemptOutcome | Promise<AttemptOutcome>): void;
}

export const OK: AttemptOutcome = { kind: 'accepted', status: 200, durationMs: 1, answer: 'ok' };
export const BROKEN: AttemptOutcome = { kind: 'refused', status: 500, durationMs: 1, answer: 'broken' };

/** Receivers that answer as a test tells them, on its own clock. */
export function scriptedReceiver(): ScriptedReceiver {
  const sent: Shipment[] = [];
  let answer: (shipment: Shipment) => AttemptOutcome | Promise<AttemptOutcome> = () => OK;
  return {
    sent,
    answerWith(next) {
      answer = next;
    },
    async send(shipment, signal) {
      sent.push(shipment);
      const stopped = new Promise<AttemptOutcome>((resolve) => {
        signal?.addEventListener(
          'abort',
          () => resolve({ kind: 'unreachable', reason: 'stopped', durationMs: 0, answer: '' }),
          { once: true },
        );
      });
      return Promise.race([answer(shipment), stopped]);
    },
    problemWith: async (url) => (url.includes('forbidden') ? 'is a private address' : undefined),
    close: async () => undefined,
  };
}
