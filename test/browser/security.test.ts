import { expect, test } from 'vitest';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, choose, dialog, hides, isLoaded, link, panel, shows, signIn } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const PASSWORD = 'a long enough password';
const { demo, browser, open } = consoleForFile();

test('a user is created, changed and deleted', async () => {
  const page = await open('/users');
  await isLoaded(page, 'Users');
  await button(page, 'Create a user').click();
  await dialog(page).getByLabel('User name').fill('eva');
  await dialog(page).getByLabel('Full name').fill('Eva Example');
  await choose(page, dialog(page).getByRole('combobox', { name: 'Role' }), /^publisher/);
  await dialog(page).getByRole('textbox', { name: 'First password' }).fill('short');
  await shows(page, dialog(page).getByText(/at least/));
  await dialog(page).getByRole('textbox', { name: 'First password' }).fill(PASSWORD);
  await button(dialog(page), 'Create').click();
  const row = page.getByRole('row').filter({ hasText: 'eva' });
  await shows(page, row.getByText('publisher'));
  await button(page, 'Edit eva').click();
  await choose(page, dialog(page).getByRole('combobox', { name: 'Role' }), /^viewer/);
  await button(dialog(page), 'Save').click();
  await shows(page, row.getByText('viewer'));
  expect((await demo.must('/security/users/eva')).role).toBe('viewer');
  await button(page, 'Delete eva').click();
  await button(dialog(page), 'Delete').click();
  await hides(page, row);
});

test('a named token is shown once, is listed, and is revoked', async () => {
  const page = await open('/tokens');
  await isLoaded(page, 'Tokens');
  await button(page, 'Create a named token').click();
  await dialog(page).getByLabel('Name').fill('nightly-build');
  await button(dialog(page), 'Create').click();
  await shows(page, dialog(page).getByText('It is shown only this once.'));
  const token = await dialog(page).locator('.secret code').innerText();
  const as = { authorization: `Bearer ${token}` };
  expect((await demo.client().get('/admin/services?f=json', as)).status).toBe(200);
  await button(dialog(page), 'I have copied it').click();
  const row = page.getByRole('row').filter({ hasText: 'nightly-build' });
  await shows(page, row.getByText('publisher'));
  expect(await page.locator('body').innerText()).not.toContain(token);
  await button(row, 'Revoke').click();
  await button(dialog(page), 'Revoke').click();
  await hides(page, row);
  await until(
    'the token is refused',
    async () => (await demo.client().get('/admin/services?f=json', as)).status !== 200,
  );
});

test('the audit log shows the change of a service with its old and new values, and leads to the service', async () => {
  await demo.must('/services/Weather/Warnings.Query/edit', { description: 'Warnings of today' });
  const page = await open('/audit');
  await isLoaded(page, 'Audit log');
  await page.getByRole('textbox', { name: 'Search the loaded entries' }).fill('Warnings of today');
  await shows(page, /^1 of \d+ loaded entries match/);
  await shows(page, page.locator('del').getByText('Demo: warnings in force'));
  await shows(page, page.locator('ins').getByText('Warnings of today'));
  await link(page, 'service Weather/Warnings.Query').click();
  await isLoaded(page, 'Warnings.Query');
  await shows(page, panel(page, 'Changes').locator('ins').getByText('Warnings of today'));
  await link(page, 'All changes').click();
  await isLoaded(page, 'Audit log');
  await until('the log has one target', () => page.url().includes('target=service+Weather'));
});

test('a file is uploaded, downloaded and deleted', async () => {
  const page = await open('/uploads');
  await isLoaded(page, 'Uploads');
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('what to do') };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByLabel('Description').fill('For tonight');
  await button(page, 'Upload').click();
  const row = panel(page, 'Files').getByRole('row').filter({ hasText: 'notes.txt' });
  await shows(page, row.getByText('For tonight'));
  const address = await link(row, 'Download').getAttribute('href');
  const answer = await page.request.get(new URL(address ?? '', page.url()).href);
  expect(await answer.text()).toBe('what to do');
  await button(row, 'Delete').click();
  await button(dialog(page), 'Delete').click();
  await hides(page, row);
});

test('a user changes the own password and signs in with the new one', async () => {
  browser.expectProblems(/status of (401|498)/);
  await demo.must('/security/users/create', { username: 'changer', password: PASSWORD, role: 'viewer' });
  const page = await browser.open(demo.page('/password'));
  await signIn(page, 'changer', PASSWORD);
  await isLoaded(page, 'Own password');
  const another = `${PASSWORD} of today`;
  await page.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill(another);
  await page.getByRole('textbox', { name: 'New password again' }).fill('another one');
  await shows(page, 'It differs from the new password.');
  await page.getByRole('textbox', { name: 'New password again' }).fill(another);
  await button(page, 'Change the password').click();
  await shows(page, page.getByRole('heading', { name: 'Sign in' }));
  await signIn(page, 'changer', another);
  await isLoaded(page, 'Own password');
});
