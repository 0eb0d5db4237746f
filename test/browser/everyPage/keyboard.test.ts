import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { consoleForFile } from '../../support/browser/consoleForFile.ts';
import { failRelease } from '../../support/browser/filledDemo.ts';
import { button, dialog, hides, isLoaded, link, panel, shows } from '../../support/browser/pageActions.ts';
import { until } from '../../support/run/until.ts';

const QUICK = { rolloutMs: '20', hookMs: '20', databaseMs: '20' };
const { demo, browser, open } = consoleForFile(QUICK);

beforeEach(async () => {
  await demo.must('/demo/deployment/reset');
});

async function focused(page: Page, of = 'tagName'): Promise<string> {
  return String(
    await page.evaluate(`(({ activeElement }) => ${of === 'tagName' ? 'activeElement.tagName' : of})(document)`),
  );
}

async function hasFocus(page: Page, what: string, of: string): Promise<void> {
  await until(`the focus is on ${what}`, async () => (await focused(page, of)) === what);
}

test('[V7] the tiles of the deployment are one stop of the Tab key, and arrow keys, Home and End go from tile to tile', async () => {
  const page = await open('/upgrades');
  await isLoaded(page, 'Upgrades');
  const tiles = panel(page, 'Deployment').locator('.workload[data-state]');
  await until('all tiles are drawn', async () => (await tiles.count()) >= 40);
  const names = await tiles.evaluateAll((all) => all.map((one) => one.getAttribute('data-workload') ?? ''));
  const stops = panel(page, 'Deployment').locator('.workload[tabindex="0"]');
  const isOn = (name: string | undefined) => hasFocus(page, name ?? '', 'activeElement.dataset.workload');
  await stops.focus();
  await isOn(names[0]);
  await page.keyboard.press('ArrowRight');
  await isOn(names[1]);
  await page.keyboard.press('End');
  await isOn(names.at(-1));
  await page.keyboard.press('ArrowLeft');
  await isOn(names.at(-2));
  await page.keyboard.press('Home');
  await isOn(names[0]);
  await page.keyboard.press('ArrowDown');
  await until('the focus is lower', async () => (await focused(page, 'activeElement.dataset.workload')) !== names[0]);
  await page.keyboard.press('ArrowUp');
  await isOn(names[0]);
  expect(await stops.count()).toBe(1);
  await page.keyboard.press('Tab');
  expect(await focused(page, 'String(activeElement.matches(".workload"))')).toBe('false');
});

test('[V7] Enter confirms a dialog, and the focus then goes to the row that follows the deleted one', async () => {
  for (const name of ['aaa', 'bbb'])
    await demo.must('/security/users/create', { username: name, password: 'a long enough password', role: 'viewer' });
  const page = await open('/users');
  await isLoaded(page, 'Users');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await button(page, 'Delete aaa').focus();
  await page.keyboard.press('Enter');
  await shows(page, dialog(page));
  await hasFocus(page, 'Delete', 'activeElement.textContent');
  await page.keyboard.press('Enter');
  await hides(page, dialog(page));
  await hides(page, row('aaa'));
  await until(
    'a row has the focus',
    async () => (await focused(page, 'String(activeElement.closest("tbody tr") !== null)')) === 'true',
  );
  await button(page, 'Delete bbb').focus();
  await page.keyboard.press('Enter');
  await shows(page, dialog(page));
  await page.keyboard.press('Escape');
  await hides(page, dialog(page));
  expect(await row('bbb').locator(':focus').innerText()).toBe('Delete');
});

test('[V7] Enter confirms a dialog that has no field, and revokes a token', async () => {
  await demo.must('/security/tokens/create', { name: 'doomed', role: 'viewer' });
  const page = await open('/tokens');
  await isLoaded(page, 'Tokens');
  await button(page.getByRole('row').filter({ hasText: 'doomed' }), 'Revoke').focus();
  await page.keyboard.press('Enter');
  await shows(page, dialog(page));
  await hasFocus(page, 'Revoke', 'activeElement.textContent');
  await page.keyboard.press('Enter');
  await shows(page, 'Revoked the token.');
  await hides(page, page.getByRole('row').filter({ hasText: 'doomed' }));
  expect(await focused(page)).not.toBe('BODY');
});

test('[V7] the focus stays on the page after "Retry" of a job, which goes when the job goes on', async () => {
  const page = await open(`/upgrades/jobs/${await failRelease(demo)}`);
  const [{ id }] = (await demo.must('/demo/faults')).faults;
  await demo.must('/demo/faults/remove', { id });
  await button(page, 'Retry').focus();
  await page.keyboard.press('Enter');
  await shows(page, page.locator('.pageHead .state').getByText('Succeeded'));
  await hides(page, button(page, 'Retry'));
  await until('the focus is on the page', async () => (await focused(page)) !== 'BODY');
});

test('[V7] the focus stays on "Try again" while it fails, and on the page when it works', async () => {
  browser.expectProblems(/status of 400/);
  const page = await open('/users');
  await isLoaded(page, 'Users');
  await page.route('**/security/tokens?**', (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/json',
      body: '{"error":{"code":400,"message":"Not now."}}',
    }),
  );
  await link(page.getByRole('navigation', { name: 'Pages' }), 'Tokens').click();
  await shows(page, 'Not now.');
  await button(page, 'Try again').focus();
  await page.keyboard.press('Enter');
  await hasFocus(page, 'Try again', 'activeElement.textContent');
  await page.unroute('**/security/tokens?**');
  await page.keyboard.press('Enter');
  await hides(page, 'Not now.');
  await until('the focus is on the page', async () => (await focused(page)) !== 'BODY');
});

test('[V7] Ctrl+K opens the palette also from a field, and Escape goes back to the field with what was typed', async () => {
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  const field = page.getByLabel('Search services');
  await field.fill('inv');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to a page or a service' });
  await shows(page, palette);
  await page.keyboard.press('Escape');
  await hides(page, palette);
  expect(await field.inputValue()).toBe('inv');
  await hasFocus(page, 'Search services', 'activeElement.ariaLabel');
  await page.keyboard.press('/');
  expect(await field.inputValue()).toBe('inv/');
});
