import { fileURLToPath } from 'node:url';
import type { Helper } from './helper.ts';
import { startHelper } from './helper.ts';

export type AboutSending =
  | {
      readonly kind: 'send';
      readonly origin: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly requests: readonly { readonly path: string; readonly body: string }[];
      /** Which request is sent when: each of them by its number, one after the other. */
      readonly order: readonly number[];
      readonly perSecond: number;
    }
  | { readonly kind: 'stop' };

export interface Sent {
  readonly index: number;
  /** When it was to be sent, and when its answer was there. */
  readonly intended: number;
  readonly answered: number;
  /** Of the event that was accepted; empty where the answer has none. */
  readonly id: string;
}

export type OpenLoop = Helper<AboutSending, readonly Sent[]>;

/** In a process of its own, so that what its user is doing does not look like a slow server. */
export function startOpenLoop(): OpenLoop {
  return startHelper(fileURLToPath(import.meta.resolve('./sending.js')));
}
