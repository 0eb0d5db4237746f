// What is wrong with a PostgreSQL server that answers, but cannot do what it is asked for. Clients hear the cause, and /readyz names it
// for a minute: without traffic, no later write can show that all is well.
import type { Clock } from '../../foundation/clock.ts';
import { MINUTE } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';

interface ServerTrouble {
  /** The codes of PostgreSQL, or their beginnings. */
  readonly codes: RegExp;
  readonly what: string;
  readonly advice: string;
}

const TROUBLES: readonly ServerTrouble[] = [
  { codes: /^53100/, what: 'the disk of the database server is full', advice: 'Free space there.' },
  { codes: /^53200/, what: 'the database server is out of memory', advice: 'Give it more, or lower its load.' },
  {
    codes: /^53300/,
    what: 'the database server has no free connection',
    advice: 'Raise its max_connections, or lower STEWARD_STORE_CONNECTIONS.',
  },
  { codes: /^53/, what: 'the database server has reached one of its limits', advice: 'Look into its log.' },
  { codes: /^58030/, what: 'the disk of the database server reports an error', advice: 'Look into its log.' },
  {
    codes: /^25006/,
    what: 'the database accepts no writes: it is read-only or a standby',
    advice: 'Check default_transaction_read_only, and whether a failover is under way.',
  },
];

const RETRY_AFTER_SECONDS = 30;
const REPORTED_FOR_MS = MINUTE;

function troubleOf(code: string): ServerTrouble | undefined {
  return TROUBLES.find(({ codes }) => codes.test(code));
}

/** Names the trouble in an error of the server; undefined if it has no name. */
export function namedTrouble(code: string, cause: unknown): StewardError | undefined {
  const trouble = troubleOf(code);
  if (trouble === undefined) return undefined;
  const { what, advice } = trouble;
  const message = `The store cannot be used: ${what}. Nothing was changed. ${advice}`;
  return new StewardError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

export interface ServerHealth {
  /** Remembers the trouble in an error, if it has a name. */
  failed(code: string): void;
  /** Records that a write has succeeded. */
  written(): void;
  obstacles(): readonly string[];
}

export function createServerHealth(clock: Pick<Clock, 'now'>): ServerHealth {
  let last: { readonly trouble: ServerTrouble; readonly at: number } | undefined;
  return {
    failed(code) {
      const trouble = troubleOf(code);
      if (trouble !== undefined) last = { trouble, at: clock.now() };
    },
    written() {
      last = undefined;
    },
    obstacles: () =>
      last === undefined || clock.now() - last.at > REPORTED_FOR_MS
        ? []
        : [`the store could not be used a moment ago: ${last.trouble.what}`],
  };
}
