import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/foundation/schema/json.ts';
import type { Version } from '../../src/model/version.ts';
import { violationsOn } from '../support/browser/accessibility.ts';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, hides, isLoaded, panel, shows } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';
import { configMap, importPatch } from '../support/upgrades/versionsWithObjects.ts';

const { demo, open } = consoleForFile({ rolloutMs: '0', hookMs: '0', databaseMs: '0' });
const LONG = 'n'.repeat(253);
const MANAGED = 'ConfigMap/managed';
let plan: string;
let firstJob: string;

async function install(versionManifest: string): Promise<string> {
  const { job } = await demo.must('/system/upgrades/upgrade', { versionManifest, upgradeSettings: '{}' });
  await until('the job has ended', async () => (await demo.must(`/system/jobs/${job.id}`)).endedAt !== null);
  return job.id;
}

beforeAll(async () => {
  // Only versions that can be installed are listed, so that after the first patch its predecessor is missing.
  const versions: readonly Version[] = await demo.must('/system/upgrades/available');
  const { postParts } = demo.client();
  const patch = (build: number, previousBuild: string, objects: readonly JsonObject[]) =>
    importPatch({ versions, postParts }, { build, previousBuild, objects });
  const settings = { before: 'a', gone: 'none' };
  const first = await patch(5000, '1800', [
    configMap('settings', settings),
    configMap('managed', { MODE: 'a' }),
    configMap('old', {}),
  ]);
  await demo.must('/demo/faults/add', { kind: 'objectReverted', workload: 'ConfigMap/settings' });
  firstJob = await install(first);
  await demo.must('/demo/faults/remove', { all: 'true' });
  await install(first);
  plan = await patch(5001, '5000', [
    configMap('settings', { before: 'a\u001b\u0007\u009b\u202e\r\nb', added: 'none', [LONG]: 'x '.repeat(200) }),
    configMap('managed', { MODE: 'b' }),
    configMap(LONG, { MODE: 'b' }),
  ]);
});

async function openPlan(options?: Parameters<typeof open>[1]): Promise<Page> {
  const page = await open(`/upgrades/plan/${plan}`, options);
  await isLoaded(page, /^Plan of /);
  await shows(page, panel(page, 'Objects').getByText(MANAGED));
  return page;
}

async function openFields(page: Page): Promise<void> {
  for (const summary of await panel(page, 'Objects').locator('summary').all()) await summary.click();
}

test.each([
  { width: 360, scheme: 'dark' },
  { width: 768, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
] as const)(
  'long names and values neither widen a page of $width px nor cut the actions, and axe finds nothing',
  async (options) => {
    const page = await openPlan(options);
    await openFields(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.width);
    const badges = panel(page, 'Objects').locator('.mantine-Badge-label');
    expect((await badges.allTextContents()).toSorted()).toEqual(['change', 'change', 'create', 'remove']);
    for (const badge of await badges.all())
      expect(await badge.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
    for (const field of await panel(page, 'Objects').getByText('data.added').all())
      expect((await field.boundingBox())?.height).toBeLessThan(30);
    expect(await violationsOn(page)).toEqual([]);
  },
);

test('a value is shown without characters that reorder the page, and an absent one as such', async () => {
  const page = await openPlan();
  await openFields(page);
  await shows(page, panel(page, 'Objects').getByText(String.raw`a\u{1b}\u{7}\u{9b}\u{202e}\r\nb`));
  const added = panel(page, 'Objects')
    .getByRole('listitem')
    .filter({ hasText: /^data\.added/ });
  expect(await added.innerText()).toMatch(/\(absent\) → none/);
  expect(await page.locator('body').innerText()).not.toMatch(/[\p{Cf}\u{9b}]/u);
});

test('a failed check has a button that removes its simulated fault', async () => {
  await demo.must('/demo/faults/add', { kind: 'objectConflict', workload: MANAGED });
  const page = await openPlan();
  await shows(page, panel(page, 'Objects').getByText('conflict'));
  await button(panel(page, 'Checks'), 'Remove the fault').click();
  await hides(page, panel(page, 'Objects').getByText('conflict'));
  await hides(page, button(panel(page, 'Checks'), 'Acknowledge and plan again'));
  await until('the plan can start', () => button(page, 'Start the upgrade').isEnabled());
});

test('other managers are acknowledged from the check that names them, and that can be taken back', async () => {
  await demo.must('/demo/faults/add', { kind: 'objectConflict', workload: MANAGED });
  const page = await openPlan();
  await button(panel(page, 'Checks'), 'Acknowledge and plan again').click();
  await shows(page, `The other managers of ${MANAGED} count as paused.`);
  await hides(page, panel(page, 'Objects').getByText('conflict'));
  await until('the plan can start', () => button(page, 'Start the upgrade').isEnabled());
  await button(page, 'Take back').click();
  await shows(page, panel(page, 'Objects').getByText('conflict'));
  expect(await button(page, 'Start the upgrade').isDisabled()).toBe(true);
  await demo.must('/demo/faults/remove', { all: 'true' });
});

test('a rolled-back job that a later one has replaced says that nothing is left to do', async () => {
  const page = await open(`/upgrades/jobs/${firstJob}`);
  await shows(page, panel(page, 'What to do').getByText('Nothing: a later job has taken its place.'));
});
