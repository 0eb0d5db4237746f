import { expect, test } from 'vitest';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, fillSignIn, hides, isLoaded, link, shows, signIn } from '../support/browser/pageActions.ts';

const PASSWORD = 'a long enough password';

const { demo, browser } = consoleForFile();

test('an administrator signs in with the form and sees every page', async () => {
  const page = await browser.open(demo.page());
  await signIn(page, 'admin', demo.password());
  await isLoaded(page, 'Overview');
  const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
  expect(names).toEqual([
    'Overview',
    'Catalog',
    'Webhooks',
    'Upgrades',
    'Users',
    'Tokens',
    'Audit log',
    'Uploads',
    'Own password',
  ]);
});

test('one click signs in to the demo', async () => {
  const page = await browser.open(demo.page());
  await button(page, 'Continue as the demo administrator').click();
  await isLoaded(page, 'Overview');
});

test('a wrong password is refused in the words of the server, and the form stays', async () => {
  browser.expectProblems(/status of 400 .*\/login/);
  const page = await browser.open(demo.page());
  await fillSignIn(page, 'admin', 'a wrong password');
  const { body } = await demo.client().post('/admin/login', { username: 'admin', password: 'another wrong one' });
  await shows(page, page.getByRole('alert').getByText(body.error.details[0]));
  expect(await page.getByLabel('User name').inputValue()).toBe('admin');
});

test('the user menu signs out, and the console asks for the password again', async () => {
  // What the page reads again and again may be asked after the session ended, and before the page knows it.
  browser.expectProblems(/status of (401|498)/);
  const page = await browser.open(demo.page('/catalog'));
  await signIn(page, 'admin', demo.password());
  await isLoaded(page, 'Catalog');
  await button(page, 'admin').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await shows(page, page.getByRole('heading', { name: 'Sign in' }));
  await page.reload();
  await shows(page, page.getByRole('heading', { name: 'Sign in' }));
});

test('a session that ended is reported, and signing in leads back to the same page', async () => {
  browser.expectProblems(/status of (401|498)/);
  const page = await browser.open(demo.page('/catalog?folder=Finance'));
  await demo.must('/security/users/create', { username: 'ended', password: PASSWORD, role: 'publisher' });
  await signIn(page, 'ended', PASSWORD);
  await shows(page, page.getByRole('heading', { name: 'Finance' }));
  await demo.must('/security/users/ended/revokeAll');
  await shows(page, 'Your session has ended.');
  await signIn(page, 'ended', PASSWORD);
  await shows(page, page.getByRole('heading', { name: 'Finance' }));
  expect(new URL(page.url()).search).toBe('?folder=Finance');
});

test('what was typed into a form is still there after the session ended, unless another user signs in', async () => {
  browser.expectProblems(/status of (401|498)/);
  const page = await browser.open(demo.page('/catalog'));
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
  for (const username of ['typist', 'other'])
    await demo.must('/security/users/create', { username, password: PASSWORD, role: 'publisher' });
  const endSession = async (): Promise<void> => {
    await demo.must('/security/users/typist/revokeAll');
    await shows(page, 'Your session has ended.');
    await hides(page, name);
  };
  await signIn(page, 'typist', PASSWORD);
  await button(page, 'Publish a service').click();
  await name.fill('HalfTyped');
  await endSession();
  await signIn(page, 'typist', PASSWORD);
  await shows(page, name);
  expect(await name.inputValue()).toBe('HalfTyped');
  await endSession();
  await signIn(page, 'other', PASSWORD);
  await shows(page, button(page, 'Publish a service'));
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a viewer is offered no write', async () => {
  await demo.must('/security/users/create', { username: 'viewer', password: PASSWORD, role: 'viewer' });
  const page = await browser.open(demo.page());
  await signIn(page, 'viewer', PASSWORD);
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  expect(await pages.allInnerTexts()).toEqual(['Overview', 'Catalog', 'Own password']);
  await pages.getByText('Catalog').click();
  await isLoaded(page, 'Catalog');
  await shows(page, link(page, 'Finance / ExchangeRates'));
  for (const name of ['Publish a service', 'Import', 'New folder']) expect(await button(page, name).count()).toBe(0);
  await link(page, 'Finance / ExchangeRates').click();
  await isLoaded(page, 'ExchangeRates.Query');
  for (const name of ['Stop', 'Delete', 'Edit']) expect(await button(page, name).count()).toBe(0);
  await hides(page, page.getByRole('region', { name: 'Webhooks' }));
});

test('a publisher may write to the catalog, and is offered no administration', async () => {
  await demo.must('/security/users/create', { username: 'publisher', password: PASSWORD, role: 'publisher' });
  const page = await browser.open(demo.page());
  await signIn(page, 'publisher', PASSWORD);
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  expect(await pages.allInnerTexts()).toEqual(['Overview', 'Catalog', 'Webhooks', 'Own password']);
  await pages.getByText('Catalog').click();
  await isLoaded(page, 'Catalog');
  await shows(page, button(page, 'Publish a service'));
  await page.goto(demo.page('/users'));
  await shows(page, 'It needs the role administrator. publisher has the role publisher.');
  await link(page, 'Go to the overview').click();
  await isLoaded(page, 'Overview');
  await shows(page, 'Publish a service, or find one and its addresses');
});
