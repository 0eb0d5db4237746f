import { MINUTE, SECOND } from '../../foundation/clock.ts';

const MIB = 1024 * 1024;

/** What one request may cost. Bodies are counted in bytes, times in milliseconds. */
export const LIMITS = {
  form: MIB,
  file: 16 * MIB,
  /** The largest file, and as much as any form beside it. */
  upload: 17 * MIB,
  soap: 64 * 1024,
  fields: 200,
  /** Characters of one part of a path. */
  pathPart: 4096,
  /** The memory of all bodies that are being received or used, and the share of callers without a valid token. */
  bodies: 64 * MIB,
  anonymousBodies: 16 * MIB,
  /** These first bytes of a body do not count into the memory of all bodies. */
  freeBytes: 8 * 1024,
  headMs: 10 * SECOND,
  /** How long a body may take; an upload may take longer if it keeps the rate. */
  bodyMs: 30 * SECOND,
  uploadBytesPerSecond: 16 * 1024,
  idleMs: 30 * SECOND,
  /** The longest upload at the lowest rate takes less. */
  requestMs: 20 * MINUTE,
  /** How long a server that stops waits for clients to send the rest of a request or to take an answer. */
  stallMs: 5 * SECOND,
} as const;
