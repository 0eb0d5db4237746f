import { beforeAll, describe, expect, test } from 'vitest';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, isLoaded, link, panel, shows } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const { demo, open } = consoleForFile();
const HOOKS = '/services/Finance/Invoices.Query/webhooks';

beforeAll(async () => {
  const { url } = await demo.must('/demo/receiver');
  await demo.must(`${HOOKS}/create`, { name: 'ledger', hookUrl: `${url}/receive/ledger` });
  await demo.must('/services/Finance/Invoices.Query/events', { event: 'invoice.paid', payload: '{"amount":1}' });
});

describe('the overview', () => {
  test('shows the version, the mode, the catalog and the deliveries', async () => {
    const page = await open('/');
    await isLoaded(page, 'Overview');
    await shows(page, link(page, /^Deployment 10\.9\.1\.1800 simulated deployment/));
    await shows(page, link(page, /^Mode Open for writes/));
    expect(await link(page, /^Health Ready/).getAttribute('href')).toBe('/readyz');
    await shows(page, link(page, /^Catalog 10 published services/));
    await shows(page, panel(page, 'Latest upgrade').getByText('No upgrade yet'));
    const delivered = panel(page, 'Deliveries').locator('.legend > div').filter({ hasText: 'Delivered' });
    await until('the delivery is counted', async () => /Delivered\s*1/.test(await delivered.innerText()));
  });

  test.each([
    [/^Deployment/, 'Upgrades'],
    [/^Catalog 10/, 'Catalog'],
    [/^1 webhook$/, 'Webhooks'],
  ])('leads with the link %s to the page %s', async (name, title) => {
    const page = await open('/');
    await isLoaded(page, 'Overview');
    await link(page.getByRole('main'), name).click();
    await isLoaded(page, title);
  });
});

test('the command palette opens a page by its name', async () => {
  const page = await open('/');
  await isLoaded(page, 'Overview');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Go to a page or a service' }).fill('audit');
  await page.keyboard.press('Enter');
  await isLoaded(page, 'Audit log');
});

test('the command palette opens a service by words of its name', async () => {
  const page = await open('/');
  await isLoaded(page, 'Overview');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('textbox', { name: 'Go to a page or a service' });
  // The catalog is read when the palette opens, and may come after what is typed.
  await search.fill('finance');
  await shows(page, 'Finance/Invoices.Query');
  await search.fill('finance invo');
  await page.keyboard.press('Enter');
  await isLoaded(page, 'Invoices.Query');
});

test('the colours of the user menu stay after a reload', async () => {
  const page = await open('/');
  await isLoaded(page, 'Overview');
  const scheme = (): Promise<string | null> => page.locator('html').getAttribute('data-mantine-color-scheme');
  expect(await scheme()).toBe('light');
  await button(page, 'admin').click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await until('the page is dark', async () => (await scheme()) === 'dark');
  await page.reload();
  await isLoaded(page, 'Overview');
  expect(await scheme()).toBe('dark');
});

test.each([
  ['/no/such/page', 'Go to the overview', 'Overview'],
  ['/users/no-such-page', 'Go to the overview', 'Overview'],
  ['/catalog/no-such-page', 'Go to the catalog', 'Catalog'],
  ['/webhooks/no-such-page', 'Go to the webhooks', 'Webhooks'],
  ['/upgrades/no-such-page', 'Go to the upgrades', 'Upgrades'],
])('at the unknown address %s the page says so, and its link "%s" leads to %s', async (path, name, title) => {
  const page = await open(path);
  await shows(page, 'There is no such page');
  await link(page, name).click();
  await isLoaded(page, title);
});
