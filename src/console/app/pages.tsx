// The pages of the console: the navigation, the command palette and the router are made from this table.
import type { ComponentType, LazyExoticComponent } from 'react';
import { lazy } from 'react';
import type { Role } from '../api/answers.ts';
import type { IconName } from '../parts/text/Icon.tsx';

export interface Page {
  /** Below /console; `*` after it stands for any further parts. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly group: 'Deployment' | 'Administration';
  readonly role: Role;
  readonly component: LazyExoticComponent<ComponentType>;
}

function page(load: () => Promise<Readonly<Record<string, ComponentType>>>, name: string) {
  return lazy(async () => {
    const component = (await load())[name];
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
    title: 'Catalog',
    icon: 'catalog',
    group: 'Deployment',
    role: 'viewer',
    component: page(() => import('../catalog/CatalogPage.tsx'), 'CatalogPage'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: 'webhook',
    group: 'Deployment',
    role: 'publisher',
    component: page(() => import('../webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  },
  {
    path: '/upgrades',
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
