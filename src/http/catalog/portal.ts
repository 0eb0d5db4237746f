// What clients of the compat interface ask below the address of the portal: the installation and the caller (ADR8). Without
// these answers they go on without a token.
import type { Actor, Role } from '../../model/actor.ts';
import { userOf } from '../../model/actor.ts';
import { COMPAT_ROOT } from '../server/compat.ts';
import type { Exchange } from '../server/edge.ts';
import { tokenMissing } from '../server/request/credential.ts';
import { sendBody } from '../server/send.ts';
import type { CatalogDependencies } from './catalogDependencies.ts';

/** The roles, by the names that these clients know. */
const PORTAL_ROLES: Readonly<Record<Role, string>> = {
  administrator: 'org_admin',
  publisher: 'org_publisher',
  viewer: 'org_user',
};

export interface PortalDependencies extends CatalogDependencies {
  readonly versions: () => Promise<{ readonly currentVersion: number }>;
}

/** Makes the handlers of `portals/self` and `community/self`. */
export function createPortal({ edge, areas, settings, installation, versions }: PortalDependencies) {
  async function callerOf({ request, body, query }: Exchange): Promise<Actor | undefined> {
    const credential = edge.credentialOf(request, body, query, true);
    return credential === undefined ? undefined : edge.identify(request, credential);
  }

  async function userView({ name, role }: Actor): Promise<object> {
    const username = userOf(name);
    const { fullName } = await areas.access.accounts.read(username);
    return { id: username, username, fullName, role: PORTAL_ROLES[role], orgId: installation, groups: [] };
  }

  const common = { fields: {}, ignoresUnknown: true, changes: false, isSettings: false, isCompat: true };

  return {
    portalsSelf: edge.handlerOf({
      ...common,
      admit: callerOf,
      async answer({ request, reply, format }, caller) {
        const { address, isSecure: allSSL } = edge.originOf(request);
        const body = {
          id: installation,
          name: 'Steward',
          isPortal: true,
          portalMode: 'singletenant',
          portalHostname: address.replace(/^https?:\/\//, '') + COMPAT_ROOT,
          access: settings.requiresTokens ? 'private' : 'public',
          allSSL,
          supportsOAuth: false,
          currentVersion: (await versions()).currentVersion,
          helperServices: {},
          ...(caller && { user: await userView(caller) }),
        };
        const title = edge.site.prefix + request.url;
        return sendBody(reply, format, { title, about: 'This installation, and the caller.', body, site: edge.site });
      },
    }),

    communitySelf: edge.handlerOf({
      ...common,
      async admit(exchange) {
        const caller = await callerOf(exchange);
        if (caller === undefined) throw tokenMissing(exchange.request, exchange.query);
        return caller;
      },
      async answer({ request, reply, format }, caller: Actor) {
        const title = edge.site.prefix + request.url;
        const body = await userView(caller);
        return sendBody(reply, format, { title, about: 'The caller.', body, site: edge.site });
      },
    }),
  };
}
