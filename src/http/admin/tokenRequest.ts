import { invalidField, invalidRequest } from '../../foundation/errors.ts';
import type { FieldValues } from '../../wire/fields/fields.ts';
import { accessOperations } from '../../wire/operations/accessOperations.ts';
import type { Origin } from '../server/edge.ts';
import type { Credential } from '../server/request/credential.ts';

const { fields: FIELDS } = accessOperations.generateToken;

type TokenRequest =
  | { readonly kind: 'signIn'; readonly username: string; readonly password: string }
  | { readonly kind: 'exchange'; readonly secret: string };

/** A server may be published below a path, beside other servers of the same host. */
function isAddressOf(given: string, { address }: Origin): boolean {
  if (!URL.canParse(given)) return false;
  const [wanted, own] = [new URL(given), new URL(address)];
  const below = own.pathname.replace(/\/*$/, '/');
  return wanted.origin === own.origin && `${wanted.pathname}/`.startsWith(below);
}

/** Tells what generateToken is asked for: a sign-in, or the exchange of a token. A cookie cannot be exchanged. */
export function tokenRequestOf(
  { username, password, serverUrl }: FieldValues<typeof FIELDS>,
  credential: Credential | undefined,
  origin: () => Origin,
): TokenRequest {
  if (username !== undefined && password !== undefined) return { kind: 'signIn', username, password };
  if (serverUrl === undefined || username !== undefined || password !== undefined) {
    const needed = { username, password };
    const names = (['username', 'password'] as const).filter((name) => needed[name] === undefined);
    throw invalidRequest(names.map((name) => `${name}: is required. ${FIELDS[name].description}`));
  }
  if (credential === undefined || credential.isCookie)
    throw invalidField('token', 'is required with serverUrl. The token to exchange.');
  if (!isAddressOf(serverUrl, origin()))
    throw invalidField('serverUrl', `must be an address of this server (${origin().address}), not "${serverUrl}"`);
  return { kind: 'exchange', secret: credential.secret };
}
