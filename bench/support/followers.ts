import { fileURLToPath } from 'node:url';
import type { Helper } from './helper.ts';
import { startHelper } from './helper.ts';

export type AboutFollowing =
  | {
      readonly kind: 'follow';
      readonly url: string;
      readonly token: string;
      readonly followers: number;
    }
  | { readonly kind: 'end' };

export interface Followed {
  /** How many messages each follower has got, and how many of them out of order. */
  readonly messages: readonly number[];
  readonly disordered: number;
  /** From the time of a message to its arrival, of each that was said after all had begun to follow. In ms. */
  readonly lags: readonly number[];
  readonly megabytes: number;
}

/** In a process of its own. `follow` is answered when all follow, `end` when all have heard the end of the job. */
export function startFollowers(): Helper<AboutFollowing, Followed | undefined> {
  return startHelper(fileURLToPath(import.meta.resolve('./following.js')));
}
