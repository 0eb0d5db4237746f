import type { Locator, Page } from 'playwright-core';
import { until } from '../run/until.ts';

const LOOK_EVERY_MS = 30;

function locatorOf(page: Page, what: string | RegExp | Locator): Locator {
  return typeof what === 'string' || what instanceof RegExp ? page.getByText(what) : what;
}

/** Waits until the page shows a text or an element. */
export async function shows(page: Page, what: string | RegExp | Locator): Promise<void> {
  const wanted = locatorOf(page, what).locator('visible=true').first();
  await until(`the page shows ${String(what)}`, () => wanted.isVisible(), LOOK_EVERY_MS);
}

/** Waits until the page no longer shows a text or an element. */
export async function hides(page: Page, what: string | RegExp | Locator): Promise<void> {
  const found = locatorOf(page, what).locator('visible=true');
  await until(`the page hides ${String(what)}`, async () => (await found.count()) === 0, LOOK_EVERY_MS);
}

/** Waits until the page has its own heading and nothing on it loads. */
export async function isLoaded(page: Page, title: string | RegExp): Promise<void> {
  await shows(page, page.getByRole('heading', { level: 1, name: title }));
  await until(
    `${String(title)} is loaded`,
    async () => (await page.locator('[aria-busy=true], .mantine-Loader-root').count()) === 0,
    LOOK_EVERY_MS,
  );
}

/** Goes to another page as a link does: the console is not loaded again. */
export async function goTo(page: Page, url: string, title: string | RegExp): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(url)})`);
  await isLoaded(page, title);
}

export function button(page: Page | Locator, name: string | RegExp): Locator {
  return page.getByRole('button', { name, exact: typeof name === 'string' });
}

export function link(page: Page | Locator, name: string | RegExp): Locator {
  return page.getByRole('link', { name, exact: typeof name === 'string' });
}

/** A part of a page by its title. */
export function panel(page: Page, name: string | RegExp): Locator {
  return page.getByRole('region', { name, exact: typeof name === 'string' });
}

/** The open dialog. */
export function dialog(page: Page): Locator {
  return page.getByRole('dialog');
}

/** Opens a list and takes one of its entries. */
export async function choose(page: Page, field: Locator, option: string | RegExp): Promise<void> {
  await field.click();
  await page.getByRole('option', { name: option }).click();
}

export async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  // Behind it may be a page with the same labels, whose session has ended.
  const form = page.locator('.signIn');
  await form.getByLabel('User name').fill(username);
  await form.getByRole('textbox', { name: 'Password' }).fill(password);
  await button(form, 'Sign in').click();
}

/** Signs in with the form, and waits for the frame of the console. */
export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await fillSignIn(page, username, password);
  await shows(page, page.getByRole('navigation', { name: 'Pages' }));
}
