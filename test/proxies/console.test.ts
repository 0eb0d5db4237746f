// The console in a browser, behind nginx and below a path that nginx passes on or cuts off.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { browserForFile } from '../support/browser/browserForFile.ts';
import { button, isLoaded, link, shows, signIn } from '../support/browser/pageActions.ts';
import { PREFIX } from '../support/proxies/configurations.ts';
import type { Front } from '../support/proxies/front.ts';
import { startFront } from '../support/proxies/front.ts';
import { hasProxy } from '../support/proxies/proxy.ts';
import { ADMIN_PASSWORD } from '../support/server/stewardProcess.ts';

const browser = browserForFile();

const VARIANTS = [
  ['passes the prefix on', (text: string) => text],
  ['cuts the prefix off', (text: string) => text.replace('proxy_pass http://steward;', 'proxy_pass http://steward/;')],
] as const;

function pathOf(page: Page): string {
  return new URL(page.url()).pathname;
}

describe.each(VARIANTS)('[ADR1] the console behind an nginx that %s', (_title, change) => {
  let front: Front;
  beforeAll(async () => {
    if (hasProxy('nginx')) front = await startFront('nginx', 'path', change);
  });
  afterAll(async () => {
    if (hasProxy('nginx')) await front.close();
  });

  test.skipIf(!hasProxy('nginx'))('a person signs in, and every page and every link has the prefix', async () => {
    const page = await browser.open(`${front.url}/`, { trustsAll: true });
    expect(pathOf(page)).toBe(`${PREFIX}/console/`);
    await signIn(page, 'admin', ADMIN_PASSWORD);
    await isLoaded(page, 'Overview');
    for (const name of ['Catalog', 'Webhooks', 'Upgrades', 'Users', 'Tokens', 'Audit log', 'Uploads']) {
      await link(page.getByRole('navigation', { name: 'Pages' }), name).click();
      await isLoaded(page, name);
      expect(pathOf(page)).toMatch(new RegExp(`^${PREFIX}/console/`));
    }
    const links = await page.locator('a[href^="/"]').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(links.filter((href) => !href?.startsWith(`${PREFIX}/`))).toEqual([]);
    await page.goto(`${front.url}/console/upgrades`);
    await isLoaded(page, 'Upgrades');
    expect(await page.context().cookies()).toMatchObject([
      { name: expect.stringMatching(/^__Secure-steward_session_[a-z0-9]{8}$/), path: PREFIX, secure: true },
    ]);
  });

  test.skipIf(!hasProxy('nginx'))('the page of a job shows its messages while it runs', async () => {
    // The page may ask about versions before it knows that a job runs.
    browser.expectProblems(/status of 409 .*\/upgrades\//);
    const token = await front.steward.token();
    await front.steward.must('/admin/demo/settings', { token, rolloutMs: '20000' });
    await front.steward.must('/admin/system/upgrades/upgrade', { token, versionManifest: 'pat_10.9.1.1842' });
    const page = await browser.open(`${front.url}/console/upgrades`, { trustsAll: true });
    await signIn(page, 'admin', ADMIN_PASSWORD);
    const { jobs } = await front.steward.must('/admin/system/jobs', { token });
    await page.goto(`${front.url}/console/upgrades/jobs/${jobs[0].id}`);
    const { messages } = await front.steward.must(`/admin/system/jobs/${jobs[0].id}/messages`, { token, f: 'json' });
    await shows(page, page.getByText(messages[0].message).first());
    const { endedAt } = await front.steward.must(`/admin/system/jobs/${jobs[0].id}`, { token });
    expect(endedAt).toBeNull();
  });

  test.skipIf(!hasProxy('nginx'))('the pages of the interface sign in and lead on without scripts', async () => {
    browser.expectProblems(/status of 401 .*\/users/);
    const page = await browser.open(`${front.url}/admin/security/users?f=html`, { trustsAll: true });
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password').fill(ADMIN_PASSWORD);
    await button(page, 'Sign in').click();
    await shows(page, page.getByRole('heading', { level: 1, name: `${PREFIX}/admin/security/users` }));
    await link(page.getByRole('main'), 'admin').click();
    await shows(page, page.getByRole('heading', { level: 1, name: `${PREFIX}/admin/security/users/admin` }));
    expect(pathOf(page)).toBe(`${PREFIX}/admin/security/users/admin`);
  });

  test.skipIf(!hasProxy('nginx'))('the console also works at the address of the server itself', async () => {
    const page = await browser.open(`${front.steward.url}/console/catalog`);
    await signIn(page, 'admin', ADMIN_PASSWORD);
    await isLoaded(page, 'Catalog');
    await link(page.getByRole('navigation', { name: 'Pages' }), 'Users').click();
    await isLoaded(page, 'Users');
    expect(pathOf(page)).toBe('/console/users');
  });
});
