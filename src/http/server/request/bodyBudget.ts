// Limits what the bodies of all requests cost together: their memory, and the time that clients take to send them. A body of a
// caller without a valid token counts against a smaller share, so that strangers cannot shut out callers with a token.
import { SECOND } from '../../../foundation/clock.ts';
import { StewardError } from '../../../foundation/errors.ts';

export interface BodyLimits {
  /** Bytes of all bodies, and of those without a valid token. */
  readonly bodies: number;
  readonly anonymousBodies: number;
  /** The first bytes of a body do not count: signing in stays possible when strangers fill their share. */
  readonly freeBytes: number;
  /** Every body has this time; later, only an upload with the minimum rate goes on. */
  readonly bodyMs: number;
  readonly uploadBytesPerSecond: number;
}

/** A body that is being received, or that its request still uses. */
export interface ReceivedBody {
  /** Counts bytes that have arrived. Returns why the body must be refused, if it must. */
  add(bytes: number): StewardError | undefined;
  /** Notes that the caller has a valid token and the role. */
  trust(): void;
  /** Notes that the body has arrived as a whole. */
  complete(): void;
  /** Gives its memory back, when the request is answered or its connection is gone. */
  release(): void;
}

interface Account {
  readonly began: number;
  readonly isUpload: boolean;
  readonly onLate: (error: StewardError) => void;
  size: number;
  isTrusted: boolean;
  /** Its index among the bodies that have not arrived; -1 if it has. */
  index: number;
}

export interface BodyOptions {
  readonly isUpload: boolean;
  readonly isTrusted: boolean;
  /** Called once if the client is too slow. */
  readonly onLate: (error: StewardError) => void;
}

function tooBusy(): StewardError {
  const message = 'The server is receiving too many large requests at the moment. Try again in a few seconds.';
  return new StewardError('unavailable', message, { retryAfterSeconds: 5 });
}

export function createBodyBudget(limits: BodyLimits, now: () => number = () => performance.now()) {
  /** An array, because V8 rebuilds a Set of a few entries all the time: that took 6 µs of every request with a body. */
  const arriving: Account[] = [];
  let [used, usedByStrangers] = [0, 0];

  function late({ isUpload, began, size }: Account): StewardError | undefined {
    const ms = now() - began;
    const needed = isUpload ? (limits.uploadBytesPerSecond * ms) / SECOND : Infinity;
    if (ms <= limits.bodyMs || size >= needed) return undefined;
    const rule = isUpload
      ? `an upload must arrive with at least ${limits.uploadBytesPerSecond / 1024} KiB per second`
      : `it must arrive within ${limits.bodyMs / SECOND} seconds`;
    return new StewardError('requestTimeout', `The body arrives too slowly: ${rule}.`);
  }

  /** Stops waiting for a body. The last one of the list takes its place. */
  function stopWaiting(account: Account): void {
    const last = account.index === -1 ? undefined : arriving.pop();
    if (last !== undefined && last !== account) {
      arriving[account.index] = last;
      last.index = account.index;
    }
    account.index = -1;
  }

  function counted({ size }: Account): number {
    return Math.max(0, size - limits.freeBytes);
  }

  return {
    /** Begins to count a body. */
    open({ isUpload, isTrusted, onLate }: BodyOptions): ReceivedBody {
      const account: Account = { began: now(), isUpload, onLate, size: 0, isTrusted, index: arriving.length };
      arriving.push(account);
      let isReleased = false;
      return {
        add(bytes) {
          if (isReleased) return undefined;
          const before = counted(account);
          account.size += bytes;
          const more = counted(account) - before;
          used += more;
          if (!account.isTrusted) usedByStrangers += more;
          const isFull = used > limits.bodies || (!account.isTrusted && usedByStrangers > limits.anonymousBodies);
          return more > 0 && isFull ? tooBusy() : undefined;
        },
        trust() {
          if (account.isTrusted) return;
          if (!isReleased) usedByStrangers -= counted(account);
          account.isTrusted = true;
        },
        complete: () => stopWaiting(account),
        release() {
          stopWaiting(account);
          if (isReleased) return;
          isReleased = true;
          used -= counted(account);
          if (!account.isTrusted) usedByStrangers -= counted(account);
        },
      };
    },

    /** Refuses bodies that arrive too slowly. Called every second: one timer for all bodies. */
    refuseLate(): void {
      for (const account of arriving.slice()) {
        const error = late(account);
        if (error === undefined) continue;
        stopWaiting(account);
        account.onLate(error);
      }
    },

    /** Bytes that bodies use now. */
    used: (): number => used,
  };
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;
