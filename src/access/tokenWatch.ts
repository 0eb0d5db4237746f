import type { Clock } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';

/** Together with the 300 ms after which a replica hears of a change, this is less than a second. */
const CHECK_EVERY_MS = 300;

interface WatchedToken {
  /** Authenticates the token again and throws if it may no longer be used for this. */
  readonly check: () => Promise<unknown>;
  readonly onEnd: () => void;
}

interface TokenWatchOptions<C> {
  readonly clock: Clock;
  readonly authenticate: (secret: string, caller: C) => Promise<Actor>;
}

/** Tells whether an error is a verdict about the token. If the store cannot be reached, there is none. */
function isVerdict(error: unknown): boolean {
  return error instanceof StewardError && (error.code === 'tokenInvalid' || error.code === 'forbidden');
}

/** Watches the tokens of answers that take long, such as event streams, and reports the end of a token within a second. */
export function createTokenWatch<C>({ clock, authenticate }: TokenWatchOptions<C>) {
  const watched = new Set<WatchedToken>();
  let running: AbortController | undefined;

  async function checkOne(token: WatchedToken): Promise<void> {
    try {
      await token.check();
    } catch (error) {
      // Another check may have ended it before.
      if (isVerdict(error) && watched.delete(token)) token.onEnd();
    }
  }

  function stopIfIdle(): void {
    if (watched.size > 0) return;
    running?.abort();
    running = undefined;
  }

  async function run({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(CHECK_EVERY_MS, signal);
      // One after the other: if the cache cannot be trusted, each check is a request to the store.
      for (const token of watched) await checkOne(token);
      if (!signal.aborted) stopIfIdle();
    }
  }

  /** `allow` throws if the caller has lost the rights to what is watched. Returns the function that ends the watch. */
  return (secret: string, caller: C, allow: (actor: Actor) => unknown, onEnd: () => void): (() => void) => {
    const token = { check: async () => allow(await authenticate(secret, caller)), onEnd };
    watched.add(token);
    if (running === undefined) {
      running = new AbortController();
      void run(running);
    }
    return () => {
      watched.delete(token);
      stopIfIdle();
    };
  };
}
