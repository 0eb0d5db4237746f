// The part `lists`: long lists in Chromium. How long the list of 2,000 webhooks takes to its first row, from the beginning of the
// navigation, and the select of a new webhook with 5,011 services to its options, from the press of the mouse. The page itself measures.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { hasChromium, startChromium } from '../../test/support/browser/chromium.ts';
import { isLoaded, shows } from '../../test/support/browser/pageActions.ts';
import { importServices, newService } from '../catalog/services.ts';
import type { PartResult } from '../harness/benchmark.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { median, worst } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { ADMINISTRATOR, startSteward } from '../harness/processes/steward.ts';
import { workFolder } from '../harness/processes/workspace.ts';

const [WEBHOOKS, SERVICES, AT_ONCE, ROUNDS] = [2000, 5011, 20, 5];
const [FIRST_ROW_AT_MOST_MS, SELECT_AT_MOST_MS] = [1000, 300];

/** Notes when the first row and the first option are drawn, and when the mouse was pressed. */
const NOTE_TIMES = `globalThis.times = {};
const note = (name) => requestAnimationFrame(() => setTimeout(() => (globalThis.times[name] ??= performance.now())));
document.addEventListener('pointerdown', () => { globalThis.times = { press: performance.now() }; }, true);
new MutationObserver(() => {
  if (document.querySelector('table tbody tr') !== null) note('row');
  if (document.querySelector('[role=option]')?.checkVisibility()) note('option');
}).observe(document, { childList: true, subtree: true, attributes: true });`;

async function timeOf(page: Page, name: string): Promise<number> {
  return Number(await page.evaluate(`globalThis.times['${name}']`));
}

async function firstRowMs(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(`${url}/console/webhooks`);
  await shows(page, page.getByText(`Any health (${WEBHOOKS})`).or(page.locator('tbody tr').first()));
  const found = await timeOf(page, 'row');
  await page.close();
  return found;
}

async function selectMs(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(`${url}/console/webhooks/new`);
  await isLoaded(page, 'New webhook');
  await page.waitForLoadState('networkidle');
  await page.getByRole('combobox', { name: 'Service' }).or(page.getByPlaceholder('Choose a service')).first().click();
  await shows(page, page.getByRole('option').first());
  const found = (await timeOf(page, 'option')) - (await timeOf(page, 'press'));
  await page.close();
  return found;
}

async function fill(steward: Steward): Promise<void> {
  const services = Array.from({ length: SERVICES }, (_, n) => newService(`Folder${n % 20}`, n));
  await importServices(steward, services);
  for (let from = 0; from < WEBHOOKS; from += AT_ONCE)
    await Promise.all(
      services.slice(from, from + AT_ONCE).map(({ folderName, serviceName, type }, n) =>
        steward.post(`/services/${folderName}/${serviceName}.${type}/webhooks/create`, {
          name: `hook${from + n}`,
          hookUrl: `http://127.0.0.1:9/receive/${from + n}`,
        }),
      ),
    );
}

async function measureIn(steward: Steward): Promise<Record<'rows' | 'selects', readonly number[]>> {
  const { browser, close } = await startChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript(NOTE_TIMES);
    await context.request.post(`${steward.url}/admin/login`, { form: { ...ADMINISTRATOR, f: 'json' } });
    const [rows, selects]: number[][] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      rows?.push(await firstRowMs(context, steward.url));
      selects?.push(await selectMs(context, steward.url));
    }
    return { rows: rows ?? [], selects: selects ?? [] };
  } finally {
    await close();
  }
}

export async function measureLists(): Promise<PartResult> {
  if (!hasChromium()) throw new Error("There is no browser on this machine: install Debian's chromium.");
  progress(`a list of ${WEBHOOKS} webhooks and a select of ${SERVICES} services in the browser …`);
  const folder = join(workFolder(), 'lists');
  mkdirSync(folder);
  const steward = await startSteward(folder);
  await fill(steward);
  const { rows, selects } = await measureIn(steward);
  await steward.end();
  const bars = [
    { name: `first row of ${WEBHOOKS} webhooks`, measured: median(rows), atMost: FIRST_ROW_AT_MOST_MS, unit: 'ms' },
    { name: `select of ${SERVICES} services`, measured: median(selects), atMost: SELECT_AT_MOST_MS, unit: 'ms' },
  ];
  return {
    bars,
    print() {
      say(`\nLong lists, ${ROUNDS} rounds\n`);
      say(row('list', 'median', 'worst', 'x bar'));
      for (const [n, { name, measured, atMost }] of bars.entries())
        say(
          row(
            name,
            ...[measured, worst(n === 0 ? rows : selects)].map((ms) => `${ms.toFixed(0)} ms`),
            (measured / atMost).toFixed(2),
          ),
        );
    },
  };
}
