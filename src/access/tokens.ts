import type { Actor, Role } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY, MINUTE } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import type { AccessStore, Account, Token } from './accessStore.ts';
import { bindingAllows } from './binding.ts';
import { hashOfSecret, newTokenSecret } from './secret.ts';

export interface Caller {
  readonly address: string;
  readonly referer: string | undefined;
  readonly requestId: string;
}

export interface IssuedToken {
  readonly secret: string;
  readonly token: Token;
}

const REMEMBERED_AT_MOST = 10_000;
const NAMED_AT_MOST_MS = 365 * DAY;

export function createTokens(needs: {
  readonly store: AccessStore;
  readonly clock: Clock;
  /** Whether word of other replicas' changes still reaches us; without it nothing that is remembered is trusted. */
  readonly isUpToDate: () => boolean;
}) {
  const { store, clock } = needs;
  const remembered = new Map<string, Token>();
  const used = new Map<string, number>();
  let generation = 0;

  async function fetch(secret: string): Promise<Token | undefined> {
    const asked = generation;
    const token = await store.token(hashOfSecret(secret));
    // Whoever revoked it while we read has already told us to forget; do not remember what was read before.
    if (token !== undefined && asked === generation) {
      if (remembered.size >= REMEMBERED_AT_MOST) remembered.clear();
      remembered.set(secret, token);
    }
    return token;
  }

  return {
    async authenticate(secret: string, caller: Caller): Promise<Actor> {
      const known = needs.isUpToDate() ? remembered.get(secret) : undefined;
      const token = known ?? (await fetch(secret));
      const now = clock.now();
      if (token === undefined || token.expires <= now) {
        throw new StewardError('tokenInvalid', 'Invalid token.', {
          details: ['token: it is unknown, expired or revoked; get a new one from generateToken'],
        });
      }
      if (!bindingAllows(token.binding, caller)) {
        throw new StewardError('tokenInvalid', 'Invalid token.', {
          details: [`token: it was issued for another ${token.binding?.client === 'ip' ? 'address' : 'referer'}`],
        });
      }
      used.set(token.id, now);
      return {
        name: token.kind === 'named' ? `${token.username} (token ${token.name})` : token.username,
        role: token.role,
        address: caller.address,
        requestId: caller.requestId,
        ...(token.onlyService === undefined ? {} : { onlyService: token.onlyService }),
      };
    },

    /** Undefined when the password has changed since it was checked. */
    async issue(
      checked: Account,
      wanted: Pick<Token, 'kind' | 'binding'> & { readonly minutes: number },
    ): Promise<IssuedToken | undefined> {
      const secret = newTokenSecret();
      const created = clock.now();
      const { kind, binding } = wanted;
      const token: Token = {
        id: newId(),
        kind,
        name: '',
        username: checked.username,
        role: checked.role,
        onlyService: undefined,
        binding,
        created,
        expires: created + wanted.minutes * MINUTE,
        lastUsed: undefined,
      };
      return (await store.addLoginToken(hashOfSecret(secret), token, checked)) ? { secret, token } : undefined;
    },

    async createNamed(
      by: Actor,
      wanted: {
        readonly name: string;
        readonly role: Role;
        readonly onlyService: string | undefined;
        readonly minutes: number;
      },
    ): Promise<IssuedToken> {
      const secret = newTokenSecret();
      const created = clock.now();
      const { name, role, onlyService } = wanted;
      const token: Token = {
        id: newId(),
        kind: 'named',
        name,
        username: by.name,
        role,
        onlyService,
        binding: undefined,
        created,
        expires: created + Math.min(wanted.minutes * MINUTE, NAMED_AT_MOST_MS),
        lastUsed: undefined,
      };
      await store.addNamedToken(hashOfSecret(secret), by, () => ({
        change: token,
        announce: [],
        audit: [{ action: 'token.create', target: `token ${token.id}`, after: token }],
      }));
      return { secret, token };
    },

    list: (): Promise<readonly Token[]> => store.tokens(clock.now()),

    async revoke(id: string, by: Actor): Promise<void> {
      await store.removeToken(id, by, (found) => {
        if (found === undefined) throw new StewardError('notFound', `There is no token with the id ${id}.`);
        return {
          change: 'remove',
          announce: [],
          audit: [{ action: 'token.revoke', target: `token ${id}`, before: found }],
        };
      });
    },

    async endSession(secret: string): Promise<void> {
      if (await store.endSession(hashOfSecret(secret))) return;
      throw new StewardError('conflict', 'This token has a name. An administrator revokes it at security/tokens.');
    },

    /** Something about tokens or their users has changed, here or on another replica. */
    invalidate(): void {
      generation += 1;
      remembered.clear();
    },

    async noteUse(): Promise<void> {
      if (used.size === 0) return;
      const noted = new Map(used);
      used.clear();
      try {
        await store.noteTokensUsed(noted);
      } catch (error) {
        for (const [id, at] of noted) if (!used.has(id)) used.set(id, at);
        throw error;
      }
    },
  };
}
