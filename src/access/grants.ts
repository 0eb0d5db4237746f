import { StewardError } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';

/**
 * Refuses a named token what gives access to somebody: an access of its own would outlive the token, and would not end with its
 * creator. Taking access away is open to it.
 */
export function refuseGrantByToken(by: Actor, grant: string): void {
  if (by.isNamedToken)
    throw new StewardError(
      'forbidden',
      `A named token cannot ${grant}. Sign in as a user with your password to do this.`,
    );
}
