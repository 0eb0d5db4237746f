import { hash, verify } from '@node-rs/argon2';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time for an unknown account (undefined), so that timing does not reveal which accounts exist. */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
}

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** The hash of a password that was never given to anybody. */
const UNKNOWN_ACCOUNT =
  '$argon2id$v=19$m=19456,t=2,p=1$WKdEZ9bki4/Nx+Ja5b/3jg$U2R6umVI4baRw0krbxW+Sil9Pz8yYqwfEROglXxPJiw';

/** Hashing is slow on purpose and shares its threads with disk access: call it through a queue. */
export const memoryHardPasswords: Passwords = {
  hash: (password) => hash(password, COST),
  matches: async (password, passwordHash) =>
    (await verify(passwordHash ?? UNKNOWN_ACCOUNT, password)) && passwordHash !== undefined,
};
