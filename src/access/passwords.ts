import { hash, verify } from '@node-rs/argon2';
import { StewardError } from '../foundation/errors.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time when there is no such account. */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
}

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$WKdEZ9bki4/Nx+Ja5b/3jg$U2R6umVI4baRw0krbxW+Sil9Pz8yYqwfEROglXxPJiw';
const AT_ONCE = 2;
const WAITING_AT_MOST = 200;

/** Hashing is slow on purpose and shares its threads with the disk, so only a few run at once and the rest wait in line. */
export function createPasswords(): Passwords {
  const waiting: (() => void)[] = [];
  let running = 0;
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= WAITING_AT_MOST) {
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
    hash: (password) => inTurn(() => hash(password, COST)),
    matches: (password, passwordHash) =>
      inTurn(async () => (await verify(passwordHash ?? NOBODY, password)) && passwordHash !== undefined),
  };
}
