// Issues, authenticates and revokes tokens. A token that was read is cached until something about tokens or users changes
// on any replica; the store keeps only the hash of its secret.

import { createBoundedCache } from '../foundation/cache/boundedCache.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY, MINUTE } from '../foundation/clock.ts';
import { StewardError, noSuchId, noSuchName } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import type { EntityValues } from '../model/entity/field.ts';
import type { NAMED_TOKEN } from '../model/entity/namedToken.ts';
import type { Actor, Role } from '../model/actor.ts';
import { lowerRole } from '../model/actor.ts';
import { silentDecision } from '../model/decision.ts';
import type { AccessStore, Account, Token } from './accessStore.ts';
import { bindingAllows } from './binding.ts';
import { refuseGrantByToken } from './grants.ts';
import { hashOfSecret, newTokenSecret } from './secret.ts';
import { createTokenWatch } from './tokenWatch.ts';

export interface Caller {
  readonly address: string;
  readonly referer: string | undefined;
  readonly requestId: string;
}

export interface IssuedToken {
  readonly secret: string;
  readonly token: Token;
}

export interface TokensOptions {
  readonly store: AccessStore;
  readonly clock: Clock;
  /** Whether changes of other replicas reach this one in time. If not, the cache is not used. */
  readonly isUpToDate: () => boolean;
}

const MAX_CACHED = 10_000;
const LONGEST_NAMED_MS = 365 * DAY;
const LONGEST_EXCHANGED_MINUTES = 60;
const NOT_VALID = 'is unknown, expired or revoked; get a new one from generateToken';

function invalidToken(detail: string): StewardError {
  return new StewardError('tokenInvalid', 'Invalid token.', { details: [`token: ${detail}`] });
}

/** A token of a person has the current role of the person; a named token never has more rights than its creator has now. */
export function roleOf({ kind, role, userRole }: Pick<Token, 'kind' | 'role' | 'userRole'>): Role {
  return kind === 'named' ? lowerRole(role, userRole) : userRole;
}

function actorOf(token: Token, { address, requestId }: Caller): Actor {
  const isNamed = token.kind === 'named';
  return {
    name: isNamed ? `${token.username} (token ${token.name})` : token.username,
    role: roleOf(token),
    address,
    requestId,
    ...(isNamed ? { isNamedToken: true } : {}),
    ...(token.onlyService === undefined ? {} : { onlyService: token.onlyService }),
  };
}

interface NewNamedToken extends EntityValues<typeof NAMED_TOKEN>, Pick<Token, 'onlyService'> {
  readonly minutes: number;
}

export function createTokens({ store, clock, isUpToDate }: TokensOptions) {
  let cached = createBoundedCache<string, Token>(MAX_CACHED);
  const usedAt = new Map<string, number>();

  async function fetch(secret: string): Promise<Token | undefined> {
    // If the cache is invalidated during the read, the token goes into the abandoned cache.
    const cache = cached;
    const token = await store.token(hashOfSecret(secret));
    return token && cache.set(secret, token);
  }

  function newToken(token: Omit<Token, 'id' | 'created' | 'expires' | 'lastUsed'>, lastsMs: number): IssuedToken {
    const created = clock.now();
    return {
      secret: newTokenSecret(),
      token: { id: newId(), ...token, created, expires: created + lastsMs, lastUsed: undefined },
    };
  }

  function knownToken(secret: string): Token | undefined {
    return isUpToDate() ? cached.get(secret) : undefined;
  }

  /** Notes the use of a token. Throws if it is not valid for this caller. */
  function use(token: Token | undefined, caller: Caller): Token {
    const now = clock.now();
    if (token === undefined || token.expires <= now) throw invalidToken(NOT_VALID);
    if (!bindingAllows(token.binding, caller))
      throw invalidToken(`was issued for another ${token.binding?.client === 'ip' ? 'address' : 'referer'}`);
    usedAt.set(token.id, now);
    return token;
  }

  async function findValid(secret: string, caller: Caller): Promise<Token> {
    return use(knownToken(secret) ?? (await fetch(secret)), caller);
  }

  async function authenticate(secret: string, caller: Caller): Promise<Actor> {
    return actorOf(await findValid(secret, caller), caller);
  }

  return {
    authenticate,

    /** Returns or throws what `authenticate` would, if the token is cached; otherwise undefined. */
    known(secret: string, caller: Caller): Actor | undefined {
      const token = knownToken(secret);
      return token && actorOf(use(token, caller), caller);
    },

    /** Reports when a token ends, or loses the rights that `allow` checks: within a second, on every replica. */
    watch: createTokenWatch({ clock, authenticate }),

    /** Issues a token for a checked password. Returns undefined if the password has changed since. */
    async issue(
      checked: Account,
      { kind, binding, minutes }: Pick<Token, 'kind' | 'binding'> & { readonly minutes: number },
    ): Promise<IssuedToken | undefined> {
      const { username, role } = checked;
      const issued = newToken(
        { kind, name: '', username, role, userRole: role, onlyService: undefined, binding },
        minutes * MINUTE,
      );
      const isAdded = await store.addLoginToken(hashOfSecret(issued.secret), issued.token, checked);
      return isAdded ? issued : undefined;
    },

    /** Exchanges a token for another one of the same user and binding, which does not last longer than the first. */
    async exchange(secret: string, caller: Caller, minutes: number): Promise<IssuedToken> {
      const { id, created: _, lastUsed: __, expires, ...first } = await findValid(secret, caller);
      if (first.kind === 'named') throw new StewardError('forbidden', 'A named token cannot be exchanged.');
      const lastsMs = Math.min(minutes, LONGEST_EXCHANGED_MINUTES) * MINUTE;
      const issued = newToken({ ...first, kind: 'login' }, Math.min(lastsMs, expires - clock.now()));
      if (await store.addExchangedToken(hashOfSecret(issued.secret), issued.token, id)) return issued;
      throw invalidToken(NOT_VALID);
    },

    async createNamed(by: Actor, { role, onlyService, minutes, ...details }: NewNamedToken): Promise<IssuedToken> {
      refuseGrantByToken(by, 'create tokens');
      const issued = newToken(
        { kind: 'named', ...details, username: by.name, role, userRole: by.role, onlyService, binding: undefined },
        Math.min(minutes * MINUTE, LONGEST_NAMED_MS),
      );
      const { secret, token } = issued;
      await store.addNamedToken(hashOfSecret(secret), by, (creator) => {
        if (creator === undefined) throw noSuchName('user', by.name);
        return silentDecision(token, { action: 'token.create', target: `token ${token.id}`, after: token });
      });
      return issued;
    },

    list: (): Promise<readonly Token[]> => store.tokens(clock.now()),

    async revoke(id: string, by: Actor): Promise<void> {
      await store.removeToken(id, by, (found) => {
        if (found === undefined) throw noSuchId('token', id);
        return silentDecision('remove', { action: 'token.revoke', target: `token ${id}`, before: found });
      });
    },

    async endSession(secret: string): Promise<void> {
      if (await store.endSession(hashOfSecret(secret))) return;
      throw new StewardError(
        'conflict',
        'A named token cannot revoke itself. An administrator can revoke it at security/tokens.',
      );
    },

    /** Drops all cached tokens after a change of tokens or users, on this replica or another. */
    invalidate(): void {
      cached = createBoundedCache(MAX_CACHED);
    },

    /** Writes when each token was last used. Times that could not be written are kept for the next call. */
    async writeLastUses(): Promise<void> {
      if (usedAt.size === 0) return;
      const written = new Map(usedAt);
      usedAt.clear();
      try {
        await store.noteTokensUsed(written);
      } catch (error) {
        for (const [id, at] of written) if (!usedAt.has(id)) usedAt.set(id, at);
        throw error;
      }
    },
  };
}
