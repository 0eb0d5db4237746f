import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { violationsOn } from '../support/browser/accessibility.ts';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import type { PageAddress } from '../support/browser/filledDemo.ts';
import { MAIN_PAGES, fillDemo } from '../support/browser/filledDemo.ts';
import { goTo, isLoaded, shows } from '../support/browser/pageActions.ts';
import { PROJECT } from '../support/run/project.ts';

const MOST_BYTES = 250_000;
const WEIGHED: ReadonlySet<string> = new Set(['document', 'script', 'stylesheet']);

const { demo, browser, open, session } = consoleForFile({ rolloutMs: '0', hookMs: '0', databaseMs: '0' });
let pages: readonly PageAddress[];

beforeAll(async () => {
  pages = await fillDemo(demo);
});

test('the tests visit every page of the navigation', () => {
  const table = readFileSync(join(PROJECT, 'src', 'console', 'app', 'pages.tsx'), 'utf8');
  const paths = [...table.matchAll(/path: '([^']+)'/g)].map(([, path]) => path);
  expect(MAIN_PAGES.map(({ path }) => path)).toEqual(paths);
});

test.each([
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1600 },
  { scheme: 'light', width: 360 },
] as const)(
  'in the $scheme scheme at a width of $width every page is accessible and does not scroll sideways',
  async (options) => {
    const page = await open('/', options);
    const problems: string[] = [];
    for (const { path, title } of pages) {
      await goTo(page, demo.page(path), title);
      const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
      if (Number(width) > options.width) problems.push(`${path} is ${String(width)} wide`);
      for (const violation of await violationsOn(page)) problems.push(`${path} ${violation}`);
    }
    expect(problems).toEqual([]);
  },
);

test('the sign-in page is accessible in both schemes', async () => {
  for (const scheme of ['light', 'dark'] as const) {
    const page = await browser.open(demo.page(), { scheme });
    await shows(page, page.getByRole('heading', { name: 'Sign in' }));
    expect(await violationsOn(page)).toEqual([]);
  }
});

test('the browser loads less than 250 KB to show the overview', async () => {
  const page = await browser.open('about:blank', { session: await session() });
  const sizes: Promise<readonly [string, number]>[] = [];
  page.on('requestfinished', (request) => {
    if (!WEIGHED.has(request.resourceType())) return;
    sizes.push(request.sizes().then(({ responseBodySize }) => [new URL(request.url()).pathname, responseBodySize]));
  });
  await page.goto(demo.page());
  await isLoaded(page, 'Overview');
  await shows(page, 'Deliveries that ended in each of the last 60 minutes.');
  const files = await Promise.all(sizes);
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter(([, bytes]) => bytes <= 0)).toEqual([]);
  expect(files.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(MOST_BYTES);
});
