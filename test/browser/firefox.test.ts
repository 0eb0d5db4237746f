// One walk through the console with another browser than Chromium: everything that differs between them shows on the way.
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { demoForFile } from '../support/browser/demoForFile.ts';
import { MAIN_PAGES } from '../support/browser/filledDemo.ts';
import type { RunningFirefox } from '../support/browser/firefox.ts';
import { hasFirefox, startFirefox } from '../support/browser/firefox.ts';

const MOST_TEXT = 3000;
/** The first request of a browser that is not signed in. */
const SIGNED_OUT = /^401 .*\/session/;
const demo = demoForFile({ rolloutMs: '0', hookMs: '0', databaseMs: '0' });
const isHere = hasFirefox();
let firefox: RunningFirefox;

beforeAll(async () => {
  if (isHere) firefox = await startFirefox();
});
beforeEach(({ skip }) => skip(!isHere, 'this machine has no Firefox'));
afterAll(async () => {
  if (isHere) await firefox.close();
});

type Role = 'button' | 'link' | 'heading' | 'menuitem' | 'textbox' | 'combobox';

function find(page: Page, role: Role, name: string) {
  return page.locator(`::-p-aria([name="${name}"][role="${role}"])`);
}

/** In the open dialog. */
function findInDialog(page: Page, role: Role, name: string) {
  return page.locator(`[role=dialog] ::-p-aria([name="${name}"][role="${role}"])`);
}

async function showsText(page: Page, text: string): Promise<void> {
  await page.locator(`::-p-text(${text})`).wait();
}

async function signIn(page: Page): Promise<void> {
  await page.goto(demo.page());
  await find(page, 'textbox', 'User name').fill('admin');
  // A field for a password has no role.
  await page.locator('input[type=password]').fill(demo.password());
  await find(page, 'button', 'Sign in').click();
  await find(page, 'heading', 'Overview').wait();
}

async function publishService(page: Page): Promise<void> {
  await find(page, 'link', 'Catalog').click();
  await find(page, 'button', 'Publish a service').click();
  await findInDialog(page, 'textbox', 'Name').fill('Tides');
  await findInDialog(page, 'combobox', 'Type').fill('Query');
  await findInDialog(page, 'button', 'Publish').click();
  await find(page, 'heading', 'Tides.Query').wait();
}

async function createWebhook(page: Page): Promise<void> {
  const { url } = await demo.must('/demo/receiver');
  await page.goto(demo.page('/webhooks/new?service=Finance%2FInvoices.Query'));
  await find(page, 'textbox', 'Name').fill('ledger');
  await find(page, 'textbox', 'Address of the receiver').fill(`${url}/receive/ledger`);
  await find(page, 'button', 'Create the webhook').click();
  await showsText(page, 'ledger is created');
}

async function installPatch(page: Page): Promise<void> {
  await page.goto(demo.page('/upgrades/plan/pat_10.9.1.1842'));
  await find(page, 'button', 'Start the upgrade').click();
  await findInDialog(page, 'button', 'Start the upgrade').click();
  await page.locator('.pageHead .state ::-p-text(Succeeded)').wait();
  await showsText(page, '10.9.1.1842 is installed.');
}

async function signOut(page: Page): Promise<void> {
  await find(page, 'button', 'admin').click();
  await find(page, 'menuitem', 'Sign out').click();
  await find(page, 'heading', 'Sign in').wait();
}

/** Returns how many problems there were when the administrator signed out. */
async function walk({ page, problems }: RunningFirefox): Promise<number> {
  await signIn(page);
  for (const { title } of MAIN_PAGES) {
    await find(page, 'link', String(title)).click();
    await find(page, 'heading', String(title)).wait();
  }
  await publishService(page);
  await createWebhook(page);
  await installPatch(page);
  const before = problems.length;
  await signOut(page);
  return before;
}

test('an administrator opens every page, publishes a service, creates a webhook and installs a patch with Firefox', async () => {
  const { page, problems } = firefox;
  let before = 0;
  try {
    before = await walk(firefox);
  } catch (error) {
    const text = await page.evaluate('document.body.innerText');
    process.stdout.write(`\nThe page, ${page.url()}:\n${String(text).slice(0, MOST_TEXT)}\n${problems.join('\n')}\n`);
    throw error;
  }
  expect((await demo.must('/services/Tides.Query')).serviceName).toBe('Tides');
  expect((await demo.must('/system/upgrades/currentVersion')).fullVersion).toBe('10.9.1.1842');
  // A request that was under way when the session ended is refused.
  const isRefused = (problem: string, n: number): boolean => n >= before && problem.startsWith('401 ');
  expect(problems.filter((problem, n) => !SIGNED_OUT.test(problem) && !isRefused(problem, n))).toEqual([]);
});
