import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { violationsOn } from '../../support/browser/accessibility.ts';
import { consoleForFile } from '../../support/browser/consoleForFile.ts';
import type { PageAddress } from '../../support/browser/filledDemo.ts';
import { fillDemo } from '../../support/browser/filledDemo.ts';
import { isLoaded, shows } from '../../support/browser/pageActions.ts';
import { popups } from '../../support/browser/popups.ts';

const WIDTHS = [390, 1024, 1440] as const;
const CASES = (['light', 'dark'] as const).flatMap((scheme) => WIDTHS.map((width) => ({ scheme, width })));
const { demo, browser, open } = consoleForFile({ rolloutMs: '0', hookMs: '0', databaseMs: '0' });
let pages: readonly PageAddress[];

beforeAll(async () => {
  pages = await fillDemo(demo);
});

/** Opens a page. Without its focus, a page that was opened before has no more popups. */
async function openPage(page: Page, { path, title }: PageAddress): Promise<void> {
  await page.goto(demo.page(path));
  await isLoaded(page, title);
}

test.each(CASES)('[V7] in the $scheme scheme at a width of $width axe finds nothing on any page', async (options) => {
  const page = await open('/', options);
  const found: string[] = [];
  for (const address of pages) {
    await openPage(page, address);
    for (const violation of await violationsOn(page)) found.push(`${address.path} ${violation}`);
  }
  expect(found).toEqual([]);
});

test.each(CASES)(
  '[V7] in the $scheme scheme at a width of $width axe finds nothing in any dialog, menu, list or hint',
  async (options) => {
    const webhook = pages.find(({ title }) => title === 'ledger')?.path ?? '';
    const page = await open('/', options);
    const found: string[] = [];
    for (const popup of popups(webhook)) {
      if (options.width >= (popup.below ?? Infinity)) continue;
      await openPage(page, popup);
      await popup.open(page);
      for (const violation of await violationsOn(page)) found.push(`${popup.name} on ${popup.path}: ${violation}`);
    }
    expect(found).toEqual([]);
  },
);

test.each(['light', 'dark'] as const)(
  '[V7] in the %s scheme axe finds nothing in the notices of a page',
  async (scheme) => {
    browser.expectProblems(/net::ERR_/);
    await demo.must('/mode', { isReadOnly: 'true', message: 'Back at `noon`' });
    const page = await open('/', { scheme });
    await isLoaded(page, 'Overview');
    await shows(page, 'The system is in read-only mode');
    await page.context().setOffline(true);
    await shows(page, 'This browser is offline.');
    expect(await violationsOn(page)).toEqual([]);
    await demo.must('/mode', { isReadOnly: 'false' });
  },
);
