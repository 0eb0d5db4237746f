// A client as older REST clients are: it finds the token service itself, looks for errors in answers with status 200, and renews its
// token when it meets 498 or 499, and then only.
import type { Client, Fields } from '../server/client.ts';

/** `server`: signs in where the catalog says. `portal`: signs in below the owning system, if that is a portal. */
export type SignInMode = 'server' | 'portal';

// oxlint-disable-next-line typescript/no-explicit-any -- clients of this kind read answers of many shapes
type Body = any;

export interface CompatClient {
  /** Reads an address below the server, with the token if there is one. */
  read(path: string): Promise<Body>;
  /** How often the client has asked for a token. */
  signIns(): number;
}

const TOKEN_ERRORS: ReadonlySet<unknown> = new Set([498, 499]);
const pathOf = (url: string): string => new URL(url).pathname;

/** Makes a client of the server whose addresses begin with `at`, such as `/compat`. */
export async function createCompatClient(
  http: Pick<Client, 'get' | 'post'>,
  at: string,
  mode: SignInMode,
  account: Fields,
): Promise<CompatClient> {
  let token: string | undefined;
  let signIns = 0;

  async function ask(path: string, fields: Fields): Promise<Body> {
    const query = new URLSearchParams({ f: 'json', ...fields });
    return (await http.get(`${path}?${query.toString()}`)).body;
  }

  const { owningSystemUrl, authInfo }: Body = await ask(`${at}/rest/info`, {});
  const portal = pathOf(owningSystemUrl);
  /** A client that finds no portal does not sign in at all. */
  const isSignedIn = mode === 'server' || (await ask(`${portal}/sharing/rest/portals/self`, {})).error === undefined;
  const tokenService = mode === 'server' ? pathOf(authInfo.tokenServicesUrl) : `${portal}/sharing/rest/generateToken`;

  async function renew(): Promise<void> {
    signIns += 1;
    token = (await http.post(tokenService, { f: 'json', ...account })).body.token;
  }

  async function read(path: string): Promise<Body> {
    const body = await ask(path, token === undefined ? {} : { token });
    if (!isSignedIn || !TOKEN_ERRORS.has(body.error?.code)) return body;
    await renew();
    return ask(path, token === undefined ? {} : { token });
  }

  return { read, signIns: () => signIns };
}
