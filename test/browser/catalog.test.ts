import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, choose, dialog, hides, isLoaded, link, panel, shows } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const COUNT = 5000;
const { demo, browser, open } = consoleForFile();

function catalogFile(services: readonly object[]): string {
  return JSON.stringify({ folders: [{ folderName: 'Many', description: 'Thousands of services' }], services });
}

beforeAll(async () => {
  const services = Array.from({ length: COUNT }, (_, n) => ({
    folderName: 'Many',
    serviceName: `Service${n}`,
    type: 'Query',
    description: `The service with the number ${n}`,
    access: 'public',
  }));
  await demo.must('/services/import', { importFile: catalogFile(services) });
});

function search(page: Page) {
  return page.getByRole('textbox', { name: 'Search services' });
}

test('a service among thousands is found by its words, and its page opens', async () => {
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await shows(page, '5,010');
  // Only rows near the screen are drawn.
  expect(await page.locator('.serviceRow').count()).toBeLessThan(100);
  await search(page).fill('number 4321');
  await shows(page, '1 of 5,010');
  expect(await page.locator('.serviceRow').count()).toBe(1);
  await until('the search is in the address', () => page.url().endsWith('?q=number+4321'));
  await link(page, 'Many / Service4321').click();
  await isLoaded(page, 'Service4321.Query');
  await shows(page, panel(page, 'Details').getByText('The service with the number 4321'));
  await page.goBack();
  await shows(page, '1 of 5,010');
  await search(page).fill('no such words');
  await shows(page, 'No service matches');
});

test('a service is published, stopped, started and deleted', async () => {
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await button(page, 'Publish a service').click();
  await choose(page, dialog(page).getByRole('combobox', { name: 'Folder' }), 'Finance');
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Budgets');
  await dialog(page).getByRole('combobox', { name: 'Type' }).fill('Report');
  await dialog(page).getByLabel('Description').fill('What may be spent');
  await dialog(page).getByLabel('Public: every caller sees it').check();
  await button(dialog(page), 'Publish').click();
  await isLoaded(page, 'Budgets.Report');
  await shows(page, page.locator('.pageHead').getByText('Running'));
  await button(page, 'Stop').click();
  await shows(page, page.locator('.pageHead').getByText('Stopped'));
  await button(page, 'Start').click();
  await shows(page, page.locator('.pageHead').getByText('Running'));
  await button(page, 'Delete').click();
  expect(await button(dialog(page), 'Delete').isDisabled()).toBe(true);
  await dialog(page).getByLabel('Type Finance/Budgets.Report to confirm').fill('Finance/Budgets.Report');
  await button(dialog(page), 'Delete').click();
  await shows(page, page.getByRole('heading', { name: 'Finance', exact: true }));
  await hides(page, link(page, 'Budgets'));
});

test('a refused name is reported beside the fields, and the input stays', async () => {
  browser.expectProblems(/status of 4\d\d .*createService/);
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await button(page, 'Publish a service').click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('a/b');
  await dialog(page).getByRole('combobox', { name: 'Type' }).fill('Query');
  await button(dialog(page), 'Publish').click();
  await shows(
    page,
    dialog(page)
      .getByRole('alert')
      .getByText(/serviceName/),
  );
  expect(await dialog(page).getByRole('textbox', { name: 'Name' }).inputValue()).toBe('a/b');
});

test('an edit that meets the change of another person is not saved, and is saved after a look at it', async () => {
  browser.expectProblems(/status of 409 .*\/edit/);
  const page = await open(`/catalog/services/${encodeURIComponent('Finance/Invoices.Query')}`);
  await isLoaded(page, 'Invoices.Query');
  await button(page, 'Edit').click();
  await dialog(page).getByLabel('Description').fill('My words');
  await demo.must('/services/Finance/Invoices.Query/edit', { description: 'Words of another', capabilities: 'Read' });
  await button(dialog(page), 'Save').click();
  await shows(page, dialog(page).getByText('Someone else changed this service'));
  await button(dialog(page), 'Load the current values').click();
  await shows(page, dialog(page).getByText('On the server: Words of another'));
  expect(await dialog(page).getByLabel('Description').inputValue()).toBe('My words');
  expect(await dialog(page).getByLabel('Capabilities').inputValue()).toBe('Read');
  await button(dialog(page), 'Save').click();
  await shows(page, panel(page, 'Details').getByText('My words'));
  const { description, capabilities } = await demo.must('/services/Finance/Invoices.Query');
  expect([description, capabilities]).toEqual(['My words', 'Read']);
});

test('what is typed into an edit while the current values come over a slow connection is kept', async () => {
  browser.expectProblems(/status of 409 .*\/edit/);
  const page = await open(`/catalog/services/${encodeURIComponent('Logistics/Routes.Map')}`);
  await isLoaded(page, 'Routes.Map');
  await button(page, 'Edit').click();
  await dialog(page).getByLabel('Description').fill('My words');
  await demo.must('/services/Logistics/Routes.Map/edit', { description: 'Words of another' });
  await button(dialog(page), 'Save').click();
  await shows(page, dialog(page).getByText('Someone else changed this service'));
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route(/Routes\.Map\?/, async (route) => {
    await arrived;
    await route.continue();
  });
  await button(dialog(page), 'Load the current values').click();
  await dialog(page).getByLabel('Parent type').fill('Typed later');
  arrive();
  await shows(page, dialog(page).getByText('On the server: Words of another'));
  expect(await dialog(page).getByLabel('Description').inputValue()).toBe('My words');
  expect(await dialog(page).getByLabel('Parent type').inputValue()).toBe('Typed later');
});

test('"Try it" sends a SOAP request and shows the answer', async () => {
  const page = await open(`/catalog/services/${encodeURIComponent('Weather/Forecast.Query')}`);
  await isLoaded(page, 'Forecast.Query');
  const tryIt = panel(page, 'Try it');
  await button(tryIt, 'Send').click();
  await shows(page, tryIt.getByText('Status 200'));
  await shows(page, tryIt.getByText('Services: 2. This service is among them.'));
  await shows(page, page.getByRole('region', { name: 'Answer' }).getByText('ServiceDescription'));
});

test('an import is previewed first, and changes the catalog only when it is confirmed', async () => {
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await button(page, 'Import').click();
  const file = JSON.stringify({
    folders: [{ folderName: 'Imported', description: '' }],
    services: [{ folderName: 'Imported', serviceName: 'New', type: 'Map' }],
  });
  await dialog(page)
    .locator('input[type=file]')
    .setInputFiles({ name: 'catalog.json', mimeType: 'application/json', buffer: Buffer.from(file) });
  await shows(page, dialog(page).getByText('Preview: nothing is changed yet'));
  expect(await dialog(page).getByRole('row', { name: 'Services to create' }).innerText()).toMatch(/1$/);
  const { status } = await demo.client().post('/admin/services/Imported/New.Map');
  expect(status).toBe(404);
  await button(dialog(page), 'Import').click();
  await shows(page, 'Imported: 1 created, 0 changed.');
  await search(page).fill('Imported');
  await shows(page, link(page, 'Imported / New'));
});

test('an import with several problems lists each of them with its place in the file', async () => {
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await button(page, 'Import').click();
  const file = JSON.stringify({ services: [{ serviceName: 'a b', type: 'Map' }, { serviceName: 'C' }] });
  browser.expectProblems(/status of 400 .*import/);
  await dialog(page)
    .locator('input[type=file]')
    .setInputFiles({ name: 'catalog.json', mimeType: 'application/json', buffer: Buffer.from(file) });
  await shows(page, 'The file cannot be imported. Nothing was changed.');
  const lines = await dialog(page).getByRole('alert').getByRole('listitem').allInnerTexts();
  expect(lines).toEqual([expect.stringMatching(/^services\[0\]\.serviceName: /), 'services[1].type: is required']);
});
