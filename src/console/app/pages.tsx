// The pages of the console: the navigation, the command palette and the router are made from this table.
import type { ComponentType, LazyExoticComponent } from 'react';
import { lazy } from 'react';
import { hasRole } from '../../model/actor.ts';
import type { Role } from '../api/answers.ts';
import type { IconName } from '../parts/text/Icon.tsx';
import { useSession } from '../api/session.ts';

export interface Page {
  /** Below /console. */
  readonly path: string;
  /** Whether the addresses below its path are its own, too. */
  readonly hasPagesBelow?: true;
  readonly title: string;
  readonly icon: IconName;
  readonly group: 'Deployment' | 'Administration';
  readonly role: Role;
  readonly component: LazyExoticComponent<ComponentType>;
}

/** A script or a style sheet of a page did not load. */
export class PageFileFailure extends Error {
  override readonly name = 'PageFileFailure';
}

function page(load: () => Promise<Readonly<Record<string, ComponentType>>>, name: string) {
  return lazy(async () => {
    const file = await load().catch((cause: unknown) => {
      throw new PageFileFailure(`a file of ${name} did not load`, { cause });
    });
    const component = file[name];
    if (component === undefined) throw new Error(`there is no page ${name}`);
    return { default: component };
  });
}

export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Overview',
    icon: 'home',
    group: 'Deployment',
    role: 'viewer',
    component: page(() => import('../overview/OverviewPage.tsx'), 'OverviewPage'),
  },
  {
    path: '/catalog',
    hasPagesBelow: true,
    title: 'Catalog',
    icon: 'catalog',
    group: 'Deployment',
    role: 'viewer',
    component: page(() => import('../catalog/CatalogPage.tsx'), 'CatalogPage'),
  },
  {
    path: '/webhooks',
    hasPagesBelow: true,
    title: 'Webhooks',
    icon: 'webhook',
    group: 'Deployment',
    role: 'publisher',
    component: page(() => import('../webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  },
  {
    path: '/upgrades',
    hasPagesBelow: true,
    title: 'Upgrades',
    icon: 'upgrade',
    group: 'Deployment',
    role: 'administrator',
    component: page(() => import('../upgrades/UpgradesPage.tsx'), 'UpgradesPage'),
  },
  {
    path: '/users',
    title: 'Users',
    icon: 'users',
    group: 'Administration',
    role: 'administrator',
    component: page(() => import('../security/UsersPage.tsx'), 'UsersPage'),
  },
  {
    path: '/tokens',
    title: 'Tokens',
    icon: 'key',
    group: 'Administration',
    role: 'administrator',
    component: page(() => import('../security/TokensPage.tsx'), 'TokensPage'),
  },
  {
    path: '/audit',
    title: 'Audit log',
    icon: 'audit',
    group: 'Administration',
    role: 'administrator',
    component: page(() => import('../security/AuditPage.tsx'), 'AuditPage'),
  },
  {
    path: '/uploads',
    title: 'Uploads',
    icon: 'file',
    group: 'Administration',
    role: 'administrator',
    component: page(() => import('../security/UploadsPage.tsx'), 'UploadsPage'),
  },
  {
    path: '/password',
    title: 'Own password',
    icon: 'lock',
    group: 'Administration',
    role: 'viewer',
    component: page(() => import('../security/PasswordPage.tsx'), 'PasswordPage'),
  },
];

/** The addresses of a page, for the router. */
export function routeOf({ path, hasPagesBelow }: Page): string {
  return hasPagesBelow ? `${path}/*?` : path;
}

/** The pages that the role of the signed-in user opens. */
export function useAllowedPages(): readonly Page[] {
  const session = useSession();
  return PAGES.filter(({ role }) => hasRole(session.role, role));
}
