// The operations on accounts, tokens and sessions. The cookie of a session is set here and read in
// server/request/credential.ts; every rule about passwords, roles and expiry is in the access area.
import type { Access } from '../../access/access.ts';
import { normalizeUsername } from '../../access/accounts.ts';
import type { Token } from '../../access/accessStore.ts';
import type { IssuedToken } from '../../access/tokens.ts';
import { roleOf } from '../../access/tokens.ts';
import { csrfTokenOf } from '../../access/secret.ts';
import { valuesOf } from '../../model/entity/field.ts';
import { NAMED_TOKEN } from '../../model/entity/namedToken.ts';
import type { TokenAnswer } from '../../wire/answers/accessAnswers.ts';
import type { accessOperations } from '../../wire/operations/accessOperations.ts';
import type { Origin } from '../server/edge.ts';
import type { Handlers } from '../server/handler.ts';
import { done } from '../server/handler.ts';
import { isOwnPath } from '../server/ownPath.ts';
import { tokenRequestOf } from './tokenRequest.ts';
import { sessionCookie } from '../server/request/credential.ts';

const THIRTY_DAYS_IN_MINUTES = 30 * 24 * 60;

function tokenView(token: Token): TokenAnswer {
  const { id, kind, username, role, onlyService, binding, created, expires, lastUsed } = token;
  const { name, role: _, ...others } = valuesOf(NAMED_TOKEN, token);
  return {
    id,
    kind,
    name,
    username,
    role: roleOf(token),
    createdRole: role,
    service: onlyService ?? '',
    client: binding?.client ?? '',
    boundTo: binding?.value ?? '',
    created,
    expires,
    lastUsed: lastUsed ?? null,
    ...others,
  };
}

function named(path: Readonly<Record<string, string>>): string {
  return normalizeUsername(path['username'] ?? '');
}

function cookie(value: string, origin: Origin, more: string): string {
  const path = origin.prefix === '' ? '/' : origin.prefix;
  return `${sessionCookie(origin)}=${value}; Path=${path}; HttpOnly; SameSite=Strict${origin.isSecure ? '; Secure' : ''}${more}`;
}

/** The answer to a browser that has signed in: the cookie of its session, and the CSRF token for its writes. */
export function sessionAnswer({ secret, token }: IssuedToken, origin: Origin) {
  const { username, expires } = token;
  const { body } = done({ username, role: roleOf(token), csrfToken: csrfTokenOf(secret), expires });
  return { body, headers: { 'set-cookie': cookie(secret, origin, '') } };
}

export interface AccessHandlerOptions {
  /** Where a sign-in leads to that names no page. */
  readonly home: string;
  readonly version: string;
}

export function accessHandlers(access: Access, options: AccessHandlerOptions): Handlers<typeof accessOperations> {
  const { home, version } = options;
  const { accounts, tokens } = access;
  return {
    async generateToken({ fields, caller, origin, credential }) {
      const { client, referer, ip, expiration: minutes } = fields;
      const wanted = tokenRequestOf(fields, credential, origin);
      const { secret, token } =
        wanted.kind === 'exchange'
          ? await access.exchange(wanted.secret, caller, minutes)
          : await access.signIn({ ...wanted, kind: 'login', client, referer, ip, minutes }, caller);
      return { body: { token: secret, expires: token.expires, ssl: origin().isSecure } };
    },

    async login({ fields, caller, origin }) {
      const { next = '', ...credentials } = fields;
      const issued = await access.signIn({ kind: 'session', ...credentials }, caller);
      return { ...sessionAnswer(issued, origin()), nextPage: isOwnPath(next) ? next : home };
    },

    async logout({ credential, origin }) {
      await tokens.endSession(credential.secret);
      return { ...done({}), headers: { 'set-cookie': cookie('', origin(), '; Max-Age=0') } };
    },

    session({ actor, credential }) {
      const csrfToken = credential.isCookie ? { csrfToken: csrfTokenOf(credential.secret) } : {};
      const { name: username, role, onlyService: service = '' } = actor;
      return { body: { username, role, service, ...csrfToken, version } };
    },

    async changePassword({ actor, fields }) {
      await access.changeOwnPassword(actor, fields.currentPassword, fields.newPassword, fields.keepTokens);
      return done({});
    },

    async users() {
      return { body: { users: await accounts.list() } };
    },

    async createUser({ actor, fields }) {
      return done({ user: await accounts.create(actor, fields) });
    },

    async user({ path }) {
      return { body: await accounts.read(named(path)) };
    },

    async editUser({ actor, path, fields }) {
      return done({ user: await accounts.edit(named(path), actor, fields) });
    },

    async deleteUser({ actor, path, fields }) {
      await accounts.remove(named(path), actor, fields.tokensTo);
      return done({});
    },

    async revokeAll({ actor, path }) {
      await accounts.revokeAll(named(path), actor);
      return done({});
    },

    async tokens({ fields }) {
      const { username } = fields;
      const found = (await tokens.list()).filter((token) => username === undefined || token.username === username);
      return { body: { tokens: found.map(tokenView) } };
    },

    async createToken({ actor, fields }) {
      const { service: onlyService, expiration: minutes = THIRTY_DAYS_IN_MINUTES, ...details } = fields;
      const issued = await tokens.createNamed(actor, { ...details, onlyService, minutes });
      return done({ token: issued.secret, item: tokenView(issued.token) });
    },

    async revokeToken({ actor, path }) {
      await tokens.revoke(path['id'] ?? '', actor);
      return done({});
    },

    async audit({ fields }) {
      const { limit = 100, ...query } = fields;
      return { body: { entries: await access.audit({ ...query, limit }) } };
    },

    auditExport({ fields }) {
      return { body: {}, lines: { name: 'audit.jsonl', pages: access.exportAudit(fields) } };
    },
  };
}
