import { MINUTE, SECOND } from '../../foundation/clock.ts';

const MIB = 1024 * 1024;

/** What one request may cost. Bodies are counted in bytes, times in milliseconds. */
export const LIMITS = {
  form: MIB,
  /** The largest file, and as much as any form beside it. */
  upload: 17 * MIB,
  soap: 64 * 1024,
  fields: 200,
  /** Characters of one part of a path. */
  pathPart: 4096,
  headMs: 10 * SECOND,
  idleMs: 30 * SECOND,
  requestMs: 2 * MINUTE,
  /** How long a server that stops waits for clients to send the rest of a request or to take an answer. */
  stallMs: 5 * SECOND,
} as const;
