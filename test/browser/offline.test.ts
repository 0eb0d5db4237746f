import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { MAIN_PAGES } from '../support/browser/filledDemo.ts';
import type { Facts, PageChange } from '../support/browser/pageChanges.ts';
import { PASSWORD, READ_ONLY_PAGES, pageChanges, preparePageChanges } from '../support/browser/pageChanges.ts';
import { button, dialog, fillSignIn, hides, isLoaded, link, shows, signIn } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const NOT_SENT = 'Nothing was sent. Try again when you are online.';
const OFFLINE = /net::ERR_INTERNET_DISCONNECTED/;
const { demo, browser, open } = consoleForFile({ rolloutMs: '0', hookMs: '0', databaseMs: '0' });
let facts: Facts;
const CHANGES = pageChanges(() => facts);

beforeAll(async () => {
  facts = await preparePageChanges(demo);
});

/** Opens an address as a link of the console does, without loading the console again. */
async function follow(page: Page, path: string): Promise<void> {
  const { pathname, search } = new URL(demo.page(path));
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(pathname + search)})`);
}

async function openAs(username: string | undefined): Promise<Page> {
  if (username === undefined) return open('/');
  const page = await browser.open(demo.page('/'));
  await signIn(page, username, PASSWORD);
  return page;
}

async function lastChange(): Promise<number> {
  return (await demo.must('/security/audit', { limit: '1' })).entries[0].id;
}

/** Goes online and waits until the page has read the mode a number of times. Answers the writes that it has sent by then. */
async function goOnline(page: Page, count = 1): Promise<readonly string[]> {
  let reads = 0;
  const writes: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/admin/mode') && response.ok()) reads += 1;
  });
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(request.url());
  });
  await page.context().setOffline(false);
  await until('the page reads again', () => reads >= count);
  return writes;
}

async function failOffline(page: Page, change: PageChange): Promise<void> {
  await follow(page, change.path());
  await isLoaded(page, change.title);
  await page.context().setOffline(true);
  await change.fill(page);
  await change.submit(page);
  await shows(page, NOT_SENT);
  for (const [field, text] of change.typed(page)) expect(await field.inputValue()).toBe(text);
}

async function closeDialogs(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await hides(page, dialog(page));
}

test('the tests make a change on every page that offers one', () => {
  const changed = new Set(CHANGES.map(({ page }) => page));
  const paths = MAIN_PAGES.map(({ path }) => path);
  expect(paths.filter((path) => !changed.has(path))).toEqual(READ_ONLY_PAGES);
});

test.each(CHANGES.map((change) => [change.name, change] as const))(
  'a person who %s offline sees at once that nothing was sent, nothing is sent later, and the form can be sent again',
  async (_, change) => {
    // A page may read a deleted object once more before it is left.
    browser.expectProblems(OFFLINE, /status of (401|404|498)/);
    const page = await openAs(change.username);
    await isLoaded(page, 'Overview');
    const before = await lastChange();
    await failOffline(page, change);
    await closeDialogs(page);
    await link(page.getByRole('navigation', { name: 'Pages' }), 'Overview').click();
    await isLoaded(page, 'Overview');
    expect(await goOnline(page, 2)).toEqual([]);
    expect(await lastChange()).toBe(before);

    await failOffline(page, change);
    await goOnline(page);
    expect(await lastChange()).toBe(before);
    await change.submit(page);
    await shows(page, change.done(page));
    expect(await lastChange()).toBeGreaterThan(before);
  },
);

const LOST: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  'whose connection is lost': (route) => route.abort('connectionreset'),
  'that a proxy answers': (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad</h1>' }),
  'whose answer is cut off': (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{"suc' }),
};

test.each(Object.entries(LOST))(
  'a change %s is reported as not known, because it may have been carried out',
  async (_, lose) => {
    browser.expectProblems(/net::ERR_CONNECTION_RESET/, /status of 502/);
    const page = await open('/catalog');
    await isLoaded(page, 'Catalog');
    const name = `Lost${Object.values(LOST).indexOf(lose)}`;
    await page.route('**/createFolder', async (route) => {
      await route.fetch();
      await lose(route);
    });
    await button(page, 'New folder').click();
    await dialog(page).getByLabel('Name').fill(name);
    await button(dialog(page), 'Create').click();
    await shows(page, dialog(page).getByText('It is not known whether this was done.'));
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe(name);
    expect((await demo.must(`/services/${name}`)).folderName).toBe(name);
  },
);

test('a browser that says it is offline and reaches the server makes changes', async () => {
  const page = await open('/');
  await page.addInitScript("Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false })");
  await page.goto(demo.page('/catalog'));
  await isLoaded(page, 'Catalog');
  await button(page, 'New folder').click();
  await dialog(page).getByLabel('Name').fill('OnThisMachine');
  await button(dialog(page), 'Create').click();
  await shows(page, 'Created the folder OnThisMachine.');
});

test('a page that is opened offline says why it shows nothing, and shows it when the browser is online again', async () => {
  browser.expectProblems(OFFLINE);
  const page = await open('/audit');
  await isLoaded(page, 'Audit log');
  await link(page, 'Overview').click();
  await isLoaded(page, 'Overview');
  await page.context().setOffline(true);
  await follow(page, '/audit?target=nobody');
  await shows(page, page.getByRole('alert').getByText('Steward cannot be reached, because this browser is offline.'));
  await shows(page, 'This browser is offline. This page shows what it last knew');
  await page.context().setOffline(false);
  await shows(page, 'No entry matches');
  await hides(page, 'This browser is offline.');
});

test('signing out offline fails, and the user stays signed in', async () => {
  browser.expectProblems(OFFLINE);
  const page = await open('/');
  await isLoaded(page, 'Overview');
  await page.context().setOffline(true);
  await button(page, 'admin').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await shows(page, NOT_SENT);
  await shows(page, page.getByRole('heading', { level: 1, name: 'Overview' }));
  await goOnline(page);
  await page.reload();
  await isLoaded(page, 'Overview');
});

test('signing in offline fails, and the form keeps what was typed', async () => {
  browser.expectProblems(OFFLINE);
  const page = await browser.open(demo.page());
  await shows(page, page.getByRole('heading', { name: 'Sign in' }));
  await page.context().setOffline(true);
  await fillSignIn(page, 'admin', demo.password());
  await shows(page, page.getByRole('alert').getByText(NOT_SENT));
  await page.context().setOffline(false);
  expect(await page.getByLabel('User name').inputValue()).toBe('admin');
  await button(page, 'Sign in').click();
  await isLoaded(page, 'Overview');
});
