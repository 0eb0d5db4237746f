import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleForFile } from '../../support/browser/consoleForFile.ts';
import { NAME_OF_THIS_MACHINE } from '../../support/browser/chromium.ts';
import { button, dialog, isLoaded, link, shows, signIn } from '../../support/browser/pageActions.ts';

const { demo, browser } = consoleForFile();

/** Opens the console over plain http on a name, where a browser gives no clipboard to pages. */
async function openOnName(path: string): Promise<Page> {
  const address = new URL(demo.page(path));
  address.hostname = NAME_OF_THIS_MACHINE;
  const page = await browser.open(address.href);
  await signIn(page, 'admin', demo.password());
  expect(await page.evaluate('isSecureContext')).toBe(false);
  return page;
}

/** What the clipboard has, as the field into which it is pasted shows it. */
async function pasted(page: Page): Promise<string> {
  const field = page.getByLabel('Search services');
  await link(page.getByRole('navigation', { name: 'Pages' }), 'Catalog').click();
  await isLoaded(page, 'Catalog');
  await field.focus();
  await page.keyboard.press('Control+v');
  return field.inputValue();
}

async function createToken(page: Page, name: string): Promise<string> {
  await isLoaded(page, 'Tokens');
  await button(page, 'Create a named token').click();
  await dialog(page).getByLabel('Name').fill(name);
  await button(dialog(page), 'Create').click();
  await shows(page, 'Copy the token now');
  return dialog(page).locator('.secret code').innerText();
}

test('[V13] over plain http on a name, a secret that is shown once is copied, and the focus stays on the button', async () => {
  const page = await openOnName('/tokens');
  const token = await createToken(page, 'copied');
  await button(page, 'Copy the token').click();
  await shows(page, button(page, 'Copied'));
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Copied');
  await button(page, 'I have copied it').click();
  expect(await pasted(page)).toBe(token);
});

test('[V13] if the browser does not copy at all, the text is selected, and the page says so', async () => {
  const page = await openOnName('/tokens');
  await page.evaluate('document.execCommand = () => false');
  const token = await createToken(page, 'selected');
  await button(page, 'Copy the token').click();
  await shows(page, 'The text is selected: press Ctrl+C');
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Escape');
  expect(await button(page, 'Copied').count()).toBe(0);
  await button(page, 'I have copied it').click();
  expect(await pasted(page)).toBe(token);
});
