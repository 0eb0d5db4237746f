import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RUN = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`;

/** The violations that axe finds on a page. Its source is evaluated, because the policy of the page forbids inline scripts. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(RUN);
  return Array.isArray(found) ? found.map(String) : [`axe answered ${String(found)}`];
}
