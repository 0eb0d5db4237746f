import { StewardError } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';

/**
 * Refuses to let a named token give access: what it gives would outlive the token, and would not end with its creator. A named token
 * may take access away.
 */
export function refuseGrantByToken(by: Actor, grant: string): void {
  if (by.isNamedToken)
    throw new StewardError(
      'forbidden',
      `A named token cannot ${grant}. Sign in as a user with your password to do this.`,
    );
}
