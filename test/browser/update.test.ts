import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsOn } from '../support/browser/accessibility.ts';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, dialog, hides, isLoaded, link, shows } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const NEXT = '99.0.0';
const LOOK_EVERY_MS = 100;
const PAGE_FILE = /\/assets\/TokensPage-.*\.js$/;
const STYLES = /\/assets\/.*\.css$/;
const { demo, browser, open } = consoleForFile();

function menu(page: Page) {
  return page.getByRole('navigation', { name: 'Pages' });
}

function reloadButton(page: Page) {
  return button(page, 'Reload');
}

/** Lets the server answer that it has another version, as the next release would. */
async function answerVersion(page: Page, version: () => string): Promise<void> {
  await page.route('**/admin/session**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), version: version() } });
  });
}

/** Makes the page read its session, as it does every 30 seconds. */
async function lookAtSession(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().includes('/admin/session'));
  // Reading again when the tab is shown is a habit of the console, for data that is older than two seconds.
  await until('the session is read', async () => {
    // During a reload there is nothing to evaluate in.
    await page
      .evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
      .catch(() => undefined);
    return Promise.race([answered.then(() => true), page.waitForTimeout(LOOK_EVERY_MS).then(() => false)]);
  });
}

/** Waits for the notice, and for one more answer: a tab that reloads has loaded by then. */
async function showsNotice(page: Page, text: string | RegExp): Promise<void> {
  await shows(page, text);
  await lookAtSession(page);
}

/** Counts how often the console is loaded. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  return () => loads;
}

test('a page file that is missing leaves the menu, a message and a button to reload, and other pages work', async () => {
  browser.expectProblems(/status of 404/, /PageFileFailure/, /Failed to fetch dynamically imported module/);
  const page = await open('/');
  await isLoaded(page, 'Overview');
  const loads = countLoads(page);
  await page.route(PAGE_FILE, (route) => route.fulfill({ status: 404, body: '' }));
  await link(menu(page), 'Tokens').click();
  await shows(page, 'This page did not load');
  await shows(page, 'A file of the page could not be loaded.');
  expect(await violationsOn(page)).toEqual([]);
  await link(menu(page), 'Catalog').click();
  await isLoaded(page, 'Catalog');
  expect(loads()).toBe(0);
  await link(menu(page), 'Tokens').click();
  await shows(page, 'This page did not load');
  await page.unroute(PAGE_FILE);
  await reloadButton(page).click();
  await isLoaded(page, 'Tokens');
  expect(loads()).toBe(1);
});

test('a page whose style sheet is missing is not shown without it', async () => {
  browser.expectProblems(/status of 404/, /PageFileFailure/, /Unable to preload CSS/);
  const page = await open('/');
  await isLoaded(page, 'Overview');
  await page.route(STYLES, (route) => route.fulfill({ status: 404, body: '' }));
  await link(menu(page), 'Webhooks').click();
  await shows(page, 'This page did not load');
});

test('a page that is opened offline for the first time says so, and a reload waits until the server answers', async () => {
  browser.expectProblems(/net::ERR_INTERNET_DISCONNECTED/, /PageFileFailure/, /Failed to fetch dynamically/);
  const page = await open('/');
  await isLoaded(page, 'Overview');
  await page.context().setOffline(true);
  await link(menu(page), 'Tokens').click();
  await shows(page, 'This browser is offline, and the page was not opened before.');
  await reloadButton(page).click();
  await shows(page, 'Steward still cannot be reached. Try again later.');
  await link(menu(page), 'Overview').click();
  await isLoaded(page, 'Overview');
  await page.context().setOffline(false);
  await link(menu(page), 'Tokens').click();
  await reloadButton(page).click();
  await isLoaded(page, 'Tokens');
});

test('a tab that meets a new version reloads once by itself if nothing was typed', async () => {
  const page = await open('/');
  await isLoaded(page, 'Overview');
  const loads = countLoads(page);
  await answerVersion(page, () => NEXT);
  await lookAtSession(page);
  await until('the tab has reloaded', () => loads() === 1);
  // The page still comes from a server of the former version, so the tab must not reload again.
  await shows(page, `Steward was updated to ${NEXT}. Reload to use it.`);
  await lookAtSession(page);
  await lookAtSession(page);
  expect(loads()).toBe(1);
  expect(await violationsOn(page)).toEqual([]);
});

test('a tab between an old and a new replica reloads at most once for each version', async () => {
  const page = await open('/');
  await isLoaded(page, 'Overview');
  const loads = countLoads(page);
  let answers = 0;
  await answerVersion(page, () => ((answers += 1) % 2 === 0 ? '98.0.0' : NEXT));
  await until('both replicas have answered several times', async () => {
    await lookAtSession(page);
    return answers >= 8;
  });
  await showsNotice(page, /Steward was updated to (98|99)\.0\.0\./);
  expect(loads()).toBe(2);
});

test('a tab with typed text shows a notice with a button instead, and reloads on request', async () => {
  const page = await open('/password');
  await isLoaded(page, 'Own password');
  const loads = countLoads(page);
  const current = page.getByRole('textbox', { name: 'Current password' });
  await current.fill('half a pass');
  await answerVersion(page, () => NEXT);
  await lookAtSession(page);
  await showsNotice(page, `Steward was updated to ${NEXT}. Reload to use it. Save what you have typed first.`);
  expect(await current.inputValue()).toBe('half a pass');
  expect(loads()).toBe(0);
  await reloadButton(page).click();
  await until('the tab has reloaded', () => loads() === 1);
  await isLoaded(page, 'Own password');
  expect(await current.inputValue()).toBe('');
});

test.each([
  [
    'an open dialog',
    '/tokens',
    async (page: Page) => {
      await button(page, 'Create a named token').click();
      await shows(page, dialog(page));
    },
  ],
  [
    'a chosen entry of a list',
    '/webhooks/new',
    async (page: Page) => {
      await page.getByRole('combobox', { name: 'Service' }).click();
      await page.getByRole('option', { name: 'Finance/Invoices.Query' }).click();
    },
  ],
  ['a pressed button', '/upgrades/plan/rel_11.0', (page: Page) => button(page, 'Use the demo licence').click()],
  [
    'a chosen file',
    '/uploads',
    (page: Page) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('what to do') }),
  ],
] as const)('a tab with %s does not reload by itself', async (_, path, begin) => {
  const page = await open(path);
  await shows(page, page.getByRole('heading', { level: 1 }));
  await isLoaded(page, /./);
  const loads = countLoads(page);
  await begin(page);
  await answerVersion(page, () => NEXT);
  await lookAtSession(page);
  await showsNotice(page, `Steward was updated to ${NEXT}.`);
  expect(loads()).toBe(0);
});

test('a page file that an update has removed makes the tab reload, and the page is shown', async () => {
  browser.expectProblems(/status of 404/, /PageFileFailure/, /Failed to fetch dynamically imported module/);
  const page = await open('/');
  await isLoaded(page, 'Overview');
  const loads = countLoads(page);
  await answerVersion(page, () => (loads() === 0 ? NEXT : versionOfPage));
  const versionOfPage = String(await page.locator('meta[name=steward]').getAttribute('data-version'));
  await page.route(PAGE_FILE, (route) => (loads() === 0 ? route.fulfill({ status: 404, body: '' }) : route.continue()));
  await link(menu(page), 'Tokens').click();
  await isLoaded(page, 'Tokens');
  expect(loads()).toBe(1);
  await hides(page, 'Steward was updated');
});

test.each(['light', 'dark'] as const)(
  'a console whose main script is missing says so in the %s scheme, and a link reloads it',
  async (scheme) => {
    browser.expectProblems(/status of 404/);
    const page = await browser.open('about:blank', { scheme });
    await page.route(/\/assets\/index-.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(demo.page());
    await shows(page, 'The console has not started');
    expect(await violationsOn(page)).toEqual([]);
    await page.unroute(/\/assets\/index-.*\.js$/);
    await link(page, 'Reload').click();
    await shows(page, page.getByRole('heading', { name: 'Sign in' }));
    expect(await page.getByText('The console has not started').count()).toBe(0);
  },
);

test('a console without its script and its style sheet shows the message, too', async () => {
  browser.expectProblems(/net::ERR_FAILED/);
  const page = await browser.open('about:blank');
  await page.route('**/assets/**', (route) => route.abort());
  await page.goto(demo.page());
  await shows(page, 'The console has not started');
});
