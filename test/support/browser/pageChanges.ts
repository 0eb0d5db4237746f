// One change of each page, for tests that make every kind of change in the same way.
import type { Locator, Page } from 'playwright-core';
import { demoProduct } from '../../../src/demo/deployment/demoProduct.ts';
import type { DemoForFile } from './demoForFile.ts';
import { button, dialog, panel, shows } from './pageActions.ts';
import { until } from '../run/until.ts';

const SERVICE = 'Finance/Invoices.Query';
const DOOMED = 'Finance/ExchangeRates.Query';
const PATCH = 'pat_10.9.1.1842';
export const PASSWORD = 'a long enough password';
const USER = 'typist';

export interface PageChange {
  /** The page of the navigation to which the change belongs. */
  readonly page: string;
  readonly name: string;
  /** Where it is made. */
  readonly path: () => string;
  readonly title: string | RegExp;
  /** The user that makes it; the administrator by default. */
  readonly username?: string;
  /** Types everything, up to the last click. */
  fill(page: Page): Promise<void>;
  submit(page: Page): Promise<void>;
  /** The fields with what was typed into them. */
  readonly typed: (page: Page) => readonly (readonly [Locator, string])[];
  /** What the page shows when the change is done. */
  readonly done: (page: Page) => Locator;
}

/** What is known only when the demo runs. */
export interface Facts {
  /** The address of the demo receiver. */
  readonly receiver: string;
  /** The id of the webhook `doomed`. */
  readonly webhook: string;
}

/** Pages that offer no change. */
export const READ_ONLY_PAGES: readonly string[] = ['/', '/audit'];

const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

const serviceName = (page: Page): Locator => dialog(page).getByRole('textbox', { name: 'Name' });
const deletedService = (page: Page): Locator => dialog(page).getByLabel(`Type ${DOOMED} to confirm`);

const CATALOG_CHANGES: readonly PageChange[] = [
  {
    page: '/catalog',
    name: 'publishes a service',
    path: () => '/catalog',
    title: 'Catalog',
    async fill(page) {
      await button(page, 'Publish a service').click();
      await serviceName(page).fill('Tides');
      await dialog(page).getByRole('combobox', { name: 'Type' }).fill('Query');
      await dialog(page).getByLabel('Description').fill('High and low water');
    },
    submit: (page) => button(dialog(page), 'Publish').click(),
    typed: (page) => [
      [serviceName(page), 'Tides'],
      [dialog(page).getByLabel('Description'), 'High and low water'],
    ],
    done: (page) => page.getByRole('heading', { level: 1, name: 'Tides.Query' }),
  },
  {
    page: '/catalog',
    name: 'deletes a service',
    path: () => `/catalog/services/${encodeURIComponent(DOOMED)}`,
    title: 'ExchangeRates.Query',
    async fill(page) {
      await button(page.locator('.pageHead'), 'Delete').click();
      await deletedService(page).fill(DOOMED);
    },
    submit: (page) => button(dialog(page), 'Delete').click(),
    typed: (page) => [[deletedService(page), DOOMED]],
    done: (page) => page.getByText(`Deleted ${DOOMED}.`),
  },
];

const webhookName = (page: Page): Locator => page.getByRole('textbox', { name: 'Name', exact: true });
const receiverAddress = (page: Page): Locator => page.getByLabel('Address of the receiver');
const attempts = (page: Page): Locator => page.getByRole('textbox', { name: 'Attempts', exact: true });
const deletedWebhook = (page: Page): Locator => dialog(page).getByLabel('Type doomed to confirm');

function webhookChanges(facts: () => Facts): readonly PageChange[] {
  const receiver = (): string => `${facts().receiver}/receive/typed-offline`;
  return [
    {
      page: '/webhooks',
      name: 'creates a webhook',
      path: () => `/webhooks/new?service=${encodeURIComponent(SERVICE)}`,
      title: 'New webhook',
      async fill(page) {
        await webhookName(page).fill('typed-offline');
        await receiverAddress(page).fill(receiver());
      },
      submit: (page) => button(page, 'Create the webhook').click(),
      typed: (page) => [
        [webhookName(page), 'typed-offline'],
        [receiverAddress(page), receiver()],
      ],
      done: (page) => page.getByRole('region', { name: 'typed-offline is created' }),
    },
    {
      page: '/webhooks',
      name: 'deletes a webhook',
      path: () => `/webhooks/${encodeURIComponent(SERVICE)}/${facts().webhook}`,
      title: 'doomed',
      async fill(page) {
        await button(page.locator('.pageHead'), 'Delete').click();
        await deletedWebhook(page).fill('doomed');
      },
      submit: (page) => button(dialog(page), 'Delete').click(),
      typed: (page) => [[deletedWebhook(page), 'doomed']],
      done: (page) => page.getByText('The webhook doomed is deleted.'),
    },
    {
      page: '/webhooks',
      name: 'saves the delivery policy',
      path: () => '/webhooks/settings',
      title: 'Delivery policy',
      fill: (page) => attempts(page).fill('5'),
      submit: (page) => button(page, 'Save the policy').click(),
      typed: (page) => [[attempts(page), '5']],
      done: (page) => page.getByText('The delivery policy is saved.'),
    },
  ];
}

const backupName = (page: Page): Locator => dialog(page).getByLabel('Name and place of the backup');
const manifest = JSON.stringify([{ ...demoProduct().versions[1], id: 'pat_imported', build: '1899' }]);

const UPGRADE_CHANGES: readonly PageChange[] = [
  {
    page: '/upgrades',
    name: 'imports a manifest',
    path: () => '/upgrades',
    title: 'Upgrades',
    async fill(page) {
      await button(page, 'Import a manifest').click();
      await dialog(page).locator('input[type=file]').first().setInputFiles(file('manifest.json', manifest));
    },
    submit: (page) => button(dialog(page), 'Import').click(),
    typed: () => [],
    done: (page) => page.getByText('Imported 1 versions: pat_imported.'),
  },
  {
    page: '/upgrades',
    name: 'declares a restore point',
    path: () => '/upgrades',
    title: 'Upgrades',
    async fill(page) {
      await button(page, 'Declare a restore point').click();
      await backupName(page).fill('nightly backup');
    },
    submit: (page) => button(dialog(page), 'Declare').click(),
    typed: (page) => [[backupName(page), 'nightly backup']],
    done: (page) => page.getByText('The restore point is declared for 24 hours.'),
  },
  {
    page: '/upgrades',
    name: 'starts an upgrade',
    path: () => `/upgrades/plan/${PATCH}`,
    title: `Plan of ${PATCH}`,
    fill: (page) => button(page, 'Start the upgrade').click(),
    submit: confirmStart,
    typed: () => [],
    done: (page) => page.locator('.pageHead .state').getByText('Succeeded'),
  },
];

const username = (page: Page): Locator => dialog(page).getByLabel('User name');
const firstPassword = (page: Page): Locator => dialog(page).getByRole('textbox', { name: 'First password' });
const tokenName = (page: Page): Locator => dialog(page).getByLabel('Name');
const passwordField = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const another = `${PASSWORD} of today`;

const ACCESS_CHANGES: readonly PageChange[] = [
  {
    page: '/users',
    name: 'creates a user',
    path: () => '/users',
    title: 'Users',
    async fill(page) {
      await button(page, 'Create a user').click();
      await username(page).fill('eva');
      await firstPassword(page).fill(PASSWORD);
    },
    submit: (page) => button(dialog(page), 'Create').click(),
    typed: (page) => [
      [username(page), 'eva'],
      [firstPassword(page), PASSWORD],
    ],
    done: (page) => page.getByRole('row').filter({ hasText: 'eva' }),
  },
  {
    page: '/tokens',
    name: 'creates a token',
    path: () => '/tokens',
    title: 'Tokens',
    async fill(page) {
      await button(page, 'Create a named token').click();
      await tokenName(page).fill('nightly-build');
    },
    submit: (page) => button(dialog(page), 'Create').click(),
    typed: (page) => [[tokenName(page), 'nightly-build']],
    done: (page) => dialog(page).getByText('It is shown only this once.'),
  },
  {
    page: '/password',
    name: 'changes the own password',
    path: () => '/password',
    title: 'Own password',
    username: USER,
    async fill(page) {
      await passwordField(page, 'Current password').fill(PASSWORD);
      await passwordField(page, 'New password').fill(another);
      await passwordField(page, 'New password again').fill(another);
    },
    submit: (page) => button(page, 'Change the password').click(),
    typed: (page) => [
      [passwordField(page, 'Current password'), PASSWORD],
      [passwordField(page, 'New password again'), another],
    ],
    done: (page) => page.getByRole('heading', { name: 'Sign in' }),
  },
];

const fileDescription = (page: Page): Locator => page.getByLabel('Description');

const UPLOAD_CHANGES: readonly PageChange[] = [
  {
    page: '/uploads',
    name: 'uploads a file',
    path: () => '/uploads',
    title: 'Uploads',
    async fill(page) {
      await page.locator('input[type=file]').setInputFiles(file('notes.txt', 'what to do'));
      await fileDescription(page).fill('For tonight');
    },
    async submit(page) {
      await shows(page, panel(page, 'Upload a file').getByText('notes.txt'));
      await button(page, 'Upload').click();
    },
    typed: (page) => [[fileDescription(page), 'For tonight']],
    done: (page) => page.getByRole('row').filter({ hasText: 'notes.txt' }),
  },
];

/** One change of each page, or several. */
export function pageChanges(facts: () => Facts): readonly PageChange[] {
  return [...CATALOG_CHANGES, ...webhookChanges(facts), ...UPGRADE_CHANGES, ...ACCESS_CHANGES, ...UPLOAD_CHANGES];
}

/** Gives a demo what the changes need. */
export async function preparePageChanges(demo: DemoForFile): Promise<Facts> {
  const { url } = await demo.must('/demo/receiver');
  const hook = { name: 'doomed', hookUrl: `${url}/receive/doomed` };
  const { webhook } = await demo.must(`/services/${SERVICE}/webhooks/create`, hook);
  await demo.must('/security/users/create', { username: USER, password: PASSWORD, role: 'viewer' });
  return { receiver: url, webhook: webhook.id };
}

/** Confirms the start. When the page reads its plan again, after it is online, it may have closed the dialog. */
async function confirmStart(page: Page): Promise<void> {
  const confirm = button(dialog(page), 'Start the upgrade');
  const soon = { timeout: 3000 };
  await until('the start is confirmed', async () => {
    if (!(await confirm.isVisible()))
      await button(page, 'Start the upgrade')
        .click(soon)
        .catch(() => undefined);
    return confirm.click(soon).then(
      () => true,
      () => false,
    );
  });
}
