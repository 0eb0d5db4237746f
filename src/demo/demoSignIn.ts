// One click signs in to the demo, from the same machine and as long as the first password is in use.
import type { Access } from '../access/access.ts';
import { StewardError } from '../foundation/errors.ts';
import { sessionAnswer } from '../http/admin/accessHandlers.ts';
import type { Route } from '../http/server/route.ts';
import { bind } from '../http/server/route.ts';
import { demoSignInOperations } from './demoSignInOperations.ts';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
/** Another name would let a page of a foreign site in, whose name resolves to this machine. */
const OWN_NAME = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

export interface DemoSignInOptions {
  readonly access: Pick<Access, 'signIn'>;
  readonly username: string;
  /** Undefined when it was changed. */
  readonly password: () => string | undefined;
}

/** Returns the route of the one-click sign-in. Only a server that runs as a demo has it. */
export function demoSignIn({ access, username, password }: DemoSignInOptions): readonly Route[] {
  return bind(demoSignInOperations, {
    async login({ caller, origin }) {
      const known = password();
      const at = origin();
      const isLocal = LOOPBACK.test(caller.address) && OWN_NAME.test(new URL(at.address).hostname);
      if (known === undefined || !isLocal)
        throw new StewardError(
          'forbidden',
          'The demo signs in without a password only from the machine that runs it, at http://127.0.0.1 or http://localhost, and only until the password is changed. Sign in with the user name and the password.',
        );
      return sessionAnswer(await access.signIn({ kind: 'session', username, password: known }, caller), at);
    },
  });
}
