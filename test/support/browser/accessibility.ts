import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What opens above a page. */
const PORTALS = '[data-portal]';

const run = (context: string) => `axe.run(${context}, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`;

async function violationsIn(page: Page, context: string): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(run(context));
  return Array.isArray(found) ? found.map(String) : [`axe answered ${String(found)}`];
}

/** The violations that axe finds on a page. Its source is evaluated, because the policy of the page forbids inline scripts. */
export function violationsOn(page: Page): Promise<readonly string[]> {
  return violationsIn(page, 'document');
}

/** The violations in what is open above a page. The page below it is looked at on its own, which takes longer. */
export async function violationsAbove(page: Page): Promise<readonly string[]> {
  const texts = await page.locator(PORTALS).allInnerTexts();
  return texts.join('').trim() === '' ? ['nothing is open'] : violationsIn(page, JSON.stringify(PORTALS));
}
