// Everything that opens above a page: dialogs, menus, lists, the drawer of a narrow screen and the palette.
import type { Page } from 'playwright-core';
import { button, dialog, link, panel, shows } from './pageActions.ts';

const SERVICE = `/catalog/services/${encodeURIComponent('Finance/Invoices.Query')}`;

export interface Popup {
  readonly name: string;
  /** The page on which it opens. */
  readonly path: string;
  readonly title: string | RegExp;
  /** Opens it and waits until it is there. */
  open(page: Page): Promise<void>;
  /** Only on a screen narrower than this. */
  readonly below?: number;
}

/** A dialog that a button opens, named as its title. */
function dialogOf(path: string, title: string | RegExp, name: string): Popup {
  return {
    name: `the dialog of "${name}"`,
    path,
    title,
    async open(page) {
      await button(page.getByRole('main'), name).first().click();
      await shows(page, dialog(page));
    },
  };
}

/** A list that a field opens. The label of a required field ends with an asterisk. */
function listOf(path: string, title: string | RegExp, label: string): Popup {
  return {
    name: `the list of "${label}"`,
    path,
    title,
    async open(page) {
      await page
        .getByRole('main')
        .getByLabel(new RegExp(`^${label}(?: \\*)?$`))
        .first()
        .click();
      await shows(page, page.getByRole('option').first());
    },
  };
}

const FRAME: readonly Popup[] = [
  {
    name: 'the palette',
    path: '/',
    title: 'Overview',
    async open(page) {
      await page.keyboard.press('Control+k');
      await shows(page, page.getByRole('textbox', { name: 'Go to a page or a service' }));
    },
  },
  {
    name: 'the palette without a match',
    path: '/',
    title: 'Overview',
    async open(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Go to a page or a service' }).fill('no such page');
      await shows(page, 'No page and no service has this in its name.');
    },
  },
  {
    name: 'the user menu',
    path: '/',
    title: 'Overview',
    async open(page) {
      await button(page, 'admin').click();
      await shows(page, page.getByRole('menuitem', { name: 'Sign out' }));
    },
  },
  {
    name: 'the navigation as a drawer',
    path: '/',
    title: 'Overview',
    below: 768,
    async open(page) {
      await button(page, 'Navigation').click();
      await shows(page, link(page.getByRole('navigation', { name: 'Pages' }), 'Audit log'));
    },
  },
];

const HINTS: readonly Popup[] = [
  {
    name: 'a notification',
    path: '/catalog',
    title: 'Catalog',
    async open(page) {
      await button(page, 'New folder').click();
      await dialog(page)
        .getByLabel('Name')
        .fill(`Folder${Math.random().toString(36).slice(2)}`);
      await page.keyboard.press('Enter');
      await shows(page, /^Created the folder/);
    },
  },
  {
    name: 'a hint',
    path: '/upgrades',
    title: 'Upgrades',
    async open(page) {
      await panel(page, 'Deployment').locator('.workload[tabindex="0"]').focus();
      await shows(page, page.getByRole('tooltip'));
    },
  },
];

/** All of them, for the demo of `fillDemo`; `webhook` is the path of a webhook there. */
export function popups(webhook: string): readonly Popup[] {
  return [
    ...FRAME,
    dialogOf('/catalog', 'Catalog', 'New folder'),
    dialogOf('/catalog', 'Catalog', 'Publish a service'),
    dialogOf('/catalog', 'Catalog', 'Import'),
    dialogOf(SERVICE, 'Invoices.Query', 'Edit'),
    dialogOf(SERVICE, 'Invoices.Query', 'Delete'),
    dialogOf(webhook, 'ledger', 'Delete'),
    dialogOf('/upgrades', 'Upgrades', 'Declare a restore point'),
    dialogOf('/upgrades', 'Upgrades', 'Adopt a version'),
    dialogOf('/users', 'Users', 'Create a user'),
    dialogOf('/users', 'Users', 'Edit eva'),
    dialogOf('/users', 'Users', 'Delete eva'),
    dialogOf('/tokens', 'Tokens', 'Create a named token'),
    dialogOf('/tokens', 'Tokens', 'Revoke'),
    dialogOf('/uploads', 'Uploads', 'Delete'),
    listOf('/webhooks', 'Webhooks', 'Health'),
    listOf('/webhooks', 'Webhooks', 'Service'),
    listOf('/webhooks/new', 'New webhook', 'Service'),
    listOf('/webhooks/new', 'New webhook', 'Event types'),
    listOf('/tokens', 'Tokens', 'User'),
    listOf('/audit', 'Audit log', 'Period'),
    ...HINTS,
  ];
}
