import { fileURLToPath } from 'node:url';
import type { Helper } from './helper.ts';
import { startHelper } from './helper.ts';

export interface AboutPosting {
  readonly origins: readonly string[];
  /** How many are under way to each origin. */
  readonly each: number;
  readonly requests: number;
}

export interface Posted {
  /** CPU time of the process for one request. */
  readonly microseconds: number;
  readonly perSecond: number;
}

export function startBarePost(): Helper<AboutPosting, Posted> {
  return startHelper(fileURLToPath(import.meta.resolve('./barePosting.js')));
}
