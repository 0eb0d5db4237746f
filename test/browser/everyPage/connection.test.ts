import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleForFile } from '../../support/browser/consoleForFile.ts';
import { button, hides, isLoaded, link, shows } from '../../support/browser/pageActions.ts';

const AWAY = 'The server does not answer since';
const EVERY_REQUEST = '**/admin/**';
const FAILED = /net::ERR_|status of 50\d/;
const { demo, browser, open, session } = consoleForFile({ rolloutMs: '50', hookMs: '20', databaseMs: '20' });

const menu = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const busy = (page: Page) => page.locator('[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root');

async function answerAs(page: Page, status: number): Promise<void> {
  await page.route(EVERY_REQUEST, (route: Route) =>
    route.fulfill({ status, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  );
}

test('[V6] while the server is away there is one banner, pages show what they have or say why not, and all is fresh afterwards', async () => {
  browser.expectProblems(FAILED);
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await link(menu(page), 'Users').click();
  await isLoaded(page, 'Users');
  await link(menu(page), 'Overview').click();
  await isLoaded(page, 'Overview');
  await demo.kill();
  await shows(page, AWAY);
  await link(menu(page), 'Users').click();
  await shows(page, page.getByRole('main').getByText('admin', { exact: true }));
  await link(menu(page), 'Catalog').click();
  await shows(page, page.getByRole('main').getByText('Invoices').first());
  await hides(page, busy(page));
  expect(await page.getByText('does not answer').count()).toBe(1);
  await demo.startAgain();
  await hides(page, AWAY);
  await demo.must('/services/createFolder', { folderName: 'Fresh' });
  await link(menu(page), 'Overview').click();
  await link(menu(page), 'Catalog').click();
  await shows(page, 'Fresh');
});

test.each([502, 503, 504])(
  '[V6] a console that is opened while a proxy answers %d says so, and opens by itself when Steward answers',
  async (status) => {
    browser.expectProblems(FAILED);
    const page = await browser.open('about:blank', { session: await session() });
    await answerAs(page, status);
    await page.goto(demo.page('/'));
    await shows(page, `A proxy answers ${status} instead of Steward since`);
    await shows(page, 'The console waits for Steward');
    await hides(page, busy(page));
    await page.unroute(EVERY_REQUEST);
    await isLoaded(page, 'Overview');
    await hides(page, 'A proxy answers');
  },
);

test('[V6] a page whose resource was never read shows no skeleton during an outage, and the resource after it', async () => {
  browser.expectProblems(FAILED);
  const page = await open('/');
  await isLoaded(page, 'Overview');
  await link(menu(page), 'Tokens').click();
  await isLoaded(page, 'Tokens');
  await answerAs(page, 502);
  await shows(page, 'A proxy answers 502 instead of Steward since');
  await button(page, 'admin').click();
  await page.keyboard.press('Escape');
  await page.evaluate(`history.pushState(null, '', '${new URL(demo.page('/tokens?user=eva')).pathname}?user=eva')`);
  await hides(page, busy(page));
  await page.unroute(EVERY_REQUEST);
  await hides(page, 'A proxy answers');
  await shows(page, 'No tokens match');
});

test('[V6] a server that accepts requests and does not answer them is reported, and no page waits for it without end', async () => {
  browser.expectProblems(FAILED);
  const page = await browser.open('about:blank', { session: await session() });
  await page.route(EVERY_REQUEST, () => undefined);
  await page.goto(demo.page('/'));
  await shows(page, AWAY);
  await shows(page, 'The console waits for Steward');
  await page.unroute(EVERY_REQUEST);
  await isLoaded(page, 'Overview');
});

test('[V6] the sign-in page says that the browser is offline, until it is online again', async () => {
  browser.expectProblems(FAILED);
  const page = await browser.open(demo.page());
  await shows(page, page.getByRole('heading', { name: 'Sign in' }));
  await page.context().setOffline(true);
  await shows(page, 'This browser is offline.');
  await page.context().setOffline(false);
  await hides(page, 'This browser is offline.');
});

test('[V6] the notice of read-only mode comes and goes with the mode on an open page', async () => {
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await demo.must('/mode', { isReadOnly: 'true', message: 'Back at noon' });
  await shows(page, 'The system is in read-only mode: Back at noon');
  await demo.must('/mode', { isReadOnly: 'false' });
  await hides(page, 'The system is in read-only mode');
});

test('[V6] after a job was rolled back, its page and the overview show that the system is open for writes', async () => {
  await demo.must('/demo/settings', { rolloutMs: '5000', hookMs: '20', databaseMs: '20' });
  const overview = await open('/');
  await isLoaded(overview, 'Overview');
  const { job } = await demo.must('/system/upgrades/upgrade', { versionManifest: 'pat_10.9.1.1842' });
  const page = await open(`/upgrades/jobs/${job.id}`);
  await shows(page, 'The system is in read-only mode');
  await shows(overview, 'The system is in read-only mode');
  await demo.must(`/system/jobs/${job.id}/cancel`);
  await shows(page, page.locator('.pageHead .state').getByText('Rolled back'));
  await hides(page, 'The system is in read-only mode');
  await hides(overview, 'The system is in read-only mode');
  await shows(overview, link(overview, /^Mode Open for writes/));
});
