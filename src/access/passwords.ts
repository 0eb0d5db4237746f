import { hash, verify } from '@node-rs/argon2';
import { StewardError } from '../foundation/errors.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time for an unknown account (undefined), so that timing does not reveal which accounts exist. */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
}

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** The hash of a password that was never given to anybody. */
const UNKNOWN_ACCOUNT =
  '$argon2id$v=19$m=19456,t=2,p=1$WKdEZ9bki4/Nx+Ja5b/3jg$U2R6umVI4baRw0krbxW+Sil9Pz8yYqwfEROglXxPJiw';
const MAX_RUNNING = 2;
const MAX_WAITING = 200;

/** Creates the hasher. Hashing is slow on purpose and shares its threads with disk access, so few run at once and the rest queue. */
export function createPasswords(): Passwords {
  const waiting: (() => void)[] = [];
  let running = 0;
  async function queued<T>(work: () => Promise<T>): Promise<T> {
    if (running >= MAX_RUNNING) {
      if (waiting.length >= MAX_WAITING) {
        throw new StewardError('unavailable', 'Too many sign-ins at once. Try again in a moment.', {
          retryAfterSeconds: 5,
        });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }
  return {
    hash: (password) => queued(() => hash(password, COST)),
    matches: (password, passwordHash) =>
      queued(async () => (await verify(passwordHash ?? UNKNOWN_ACCOUNT, password)) && passwordHash !== undefined),
  };
}
