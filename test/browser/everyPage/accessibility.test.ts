import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { violationsAbove, violationsOn } from '../../support/browser/accessibility.ts';
import { consoleForFile } from '../../support/browser/consoleForFile.ts';
import type { PageAddress } from '../../support/browser/filledDemo.ts';
import { failRelease, fillDemo } from '../../support/browser/filledDemo.ts';
import { button, goTo, isLoaded, panel, shows } from '../../support/browser/pageActions.ts';
import { popups } from '../../support/browser/popups.ts';

/** `pages.test.ts` looks at the pages in other widths, in both schemes. */
const CASES = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 390 },
] as const;
const NARROW = { width: 390, height: 900 };
const { demo, browser, open } = consoleForFile({ rolloutMs: '0', hookMs: '0', databaseMs: '0' });
let pages: readonly PageAddress[];

beforeAll(async () => {
  pages = await fillDemo(demo);
});

async function violationsOnAll(page: Page, addresses: readonly PageAddress[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, title } of addresses) {
    await goTo(page, demo.page(path), title);
    for (const violation of await violationsOn(page)) found.push(`${path} ${violation}`);
  }
  return found;
}

test.each(CASES)('[V7] in the $scheme scheme at a width of $width axe finds nothing on any page', async (options) => {
  const page = await open('/', options);
  expect(await violationsOnAll(page, pages)).toEqual([]);
});

test.each(CASES)(
  '[V7] in the $scheme scheme at a width of $width axe finds nothing in any dialog, menu, list or hint',
  async (options) => {
    const webhook = pages.find(({ title }) => title === 'ledger')?.path ?? '';
    const page = await open('/', options);
    const found: string[] = [];
    for (const popup of popups(webhook)) {
      const isWide = popup.below === undefined;
      await page.setViewportSize(isWide ? { ...NARROW, width: options.width } : NARROW);
      // Without its focus, a page that was opened before has no more popups.
      await page.goto(demo.page(popup.path));
      await isLoaded(page, popup.title);
      await popup.open(page);
      // The drawer is a part of the page.
      const violations = isWide ? await violationsAbove(page) : await violationsOn(page);
      for (const violation of violations) found.push(`${popup.name} on ${popup.path}: ${violation}`);
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

test('[V7] axe finds nothing on the page of a failed job, and on what the overview says about it', async () => {
  const job = { path: `/upgrades/jobs/${await failRelease(demo)}`, title: /^Upgrade / };
  for (const options of CASES) {
    const page = await open('/', options);
    await shows(page, button(panel(page, 'Needs attention'), 'Retry the job'));
    expect(await violationsOnAll(page, [{ path: '/', title: 'Overview' }, job])).toEqual([]);
  }
});
