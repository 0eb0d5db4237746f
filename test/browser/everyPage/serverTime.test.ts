import { expect, test } from 'vitest';
import { consoleForFile } from '../../support/browser/consoleForFile.ts';
import { isLoaded, shows } from '../../support/browser/pageActions.ts';
import { until } from '../../support/run/until.ts';

const DAY_MS = 86_400_000;
const { demo, browser, session } = consoleForFile({ rolloutMs: '0', hookMs: '0', databaseMs: '0' });

test.each([-DAY_MS, DAY_MS])(
  '[V16] on a computer whose clock is wrong by %d ms, the console tells how long ago something was',
  async (wrong) => {
    await demo.must('/demo/deployment/reset');
    await demo.must('/system/upgrades/upgrade', { versionManifest: 'pat_10.9.1.1842' });
    await until('it has ended', async () => (await demo.must('/system/upgrades')).status.state !== 'in_progress');
    const page = await browser.open('about:blank', { session: await session() });
    await page.addInitScript(`const now = Date.now; Date.now = () => now() + ${wrong};`);
    await page.goto(demo.page('/'));
    await shows(page, /started (now|\d+ (second|minute)s? ago) by/);
  },
);

test('[V16] a browser of another language shows dates and numbers in English, in the zone of the person', async () => {
  const page = await browser.open(demo.page('/audit'), {
    session: await session(),
    locale: 'de-DE',
    timezone: 'Asia/Tokyo',
  });
  await isLoaded(page, 'Audit log');
  const tokyo = new Intl.DateTimeFormat('en-GB', { month: 'long', day: 'numeric', timeZone: 'Asia/Tokyo' });
  await shows(page, new RegExp(`Today · \\w+day,? ${tokyo.format(Date.now())} \\d{4}`));
});

test('[V16] on a very wide screen the content does not get wider than can be read, and is in the middle', async () => {
  const page = await browser.open(demo.page('/'), { session: await session(), width: 3840 });
  await isLoaded(page, 'Overview');
  const { x, width } = (await page.locator('.content').boundingBox()) ?? { x: 0, width: 0 };
  expect(width).toBeGreaterThanOrEqual(1600);
  expect(width).toBeLessThanOrEqual(1800);
  const main = (await page.locator('#content').boundingBox()) ?? { x: 0, width: 0 };
  expect(x).toBeGreaterThan(main.x + 208);
});
