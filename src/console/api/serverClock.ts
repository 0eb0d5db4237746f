// The time of the server, so that `3 minutes ago` is true on a computer whose clock is wrong. Each answer bounds the difference: its
// `Date` is the second in which it was sent, and that was between the request and its arrival. A slow answer only bounds it less.

const SECOND_MS = 1000;

/** How much the clock of the server is ahead of that of this computer, at least and at most. */
export interface Ahead {
  readonly atLeast: number;
  readonly atMost: number;
}

/** What an answer tells. `date` is its header, the other times are those of this computer. */
export function boundsOf(date: number, sent: number, arrived: number): Ahead {
  return { atLeast: date - arrived, atMost: date + SECOND_MS - sent };
}

/** What two answers tell together. If they contradict each other, a clock was set in between, and the later one counts. */
export function narrowed(before: Ahead | undefined, { atLeast, atMost }: Ahead): Ahead {
  if (before === undefined || before.atLeast > atMost || before.atMost < atLeast) return { atLeast, atMost };
  return { atLeast: Math.max(before.atLeast, atLeast), atMost: Math.min(before.atMost, atMost) };
}

let ahead: Ahead | undefined;

/** Learns from an answer that no cache has kept. */
export function learnTime(headers: Headers, sent: number): void {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date) || headers.get('cache-control') !== 'no-store') return;
  ahead = narrowed(ahead, boundsOf(date, sent, Date.now()));
}

/** The time of the server. */
export function serverNow(): number {
  return Date.now() + (ahead === undefined ? 0 : Math.round((ahead.atLeast + ahead.atMost) / 2));
}
