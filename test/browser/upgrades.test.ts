import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, dialog, hides, isLoaded, link, panel, shows } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const QUICK = { rolloutMs: '50', hookMs: '20', databaseMs: '20' };
const MEGABYTE = 1024 * 1024;
const { demo, browser, open } = consoleForFile(QUICK);

beforeEach(async () => {
  await demo.must('/demo/deployment/reset');
  await demo.must('/demo/settings', QUICK);
});

/** Opens the plan of a version from the list of versions. */
async function openPlan(page: Page, version: string): Promise<void> {
  await isLoaded(page, 'Upgrades');
  await link(page.getByRole('row').filter({ hasText: version }), 'Plan').click();
  await isLoaded(page, /^Plan of /);
}

/** Starts the plan on the page, and waits for the page of its job. */
async function start(page: Page): Promise<string> {
  await button(page, 'Start the upgrade').click();
  await button(dialog(page), 'Start the upgrade').click();
  await until('the page of the job is open', () => page.url().includes('/upgrades/jobs/'));
  return page.url().split('/').at(-1) ?? '';
}

function stateOf(page: Page) {
  return page.locator('.pageHead .state');
}

/** The messages on the page, the oldest first. Those outside the window have no layout, and so no inner text. */
async function shownMessages(page: Page): Promise<readonly string[]> {
  return (await page.locator('.messages .message .lines').allTextContents()).toReversed();
}

/** The messages of the server. The page shows as code what they have between backticks. */
async function storedMessages(id: string): Promise<readonly string[]> {
  const { messages } = await demo.must(`/system/jobs/${id}/messages`, { f: 'json' });
  return messages.map(({ message }: { readonly message: string }) => message.replaceAll('`', ''));
}

async function declareRestorePoint(page: Page): Promise<void> {
  await button(page, 'Declare a restore point').click();
  await dialog(page).getByLabel('Name and place of the backup').fill('nightly backup');
  await button(dialog(page), 'Declare').click();
  await shows(page, 'The restore point is declared for 24 hours.');
}

/** Opens the plan of the release, with everything that its checks ask for. */
async function openReadyRelease(page: Page): Promise<void> {
  await isLoaded(page, 'Upgrades');
  await declareRestorePoint(page);
  await openPlan(page, '11.0.2100');
  const licence = JSON.stringify(await demo.must('/demo/licence'));
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'licence.json', mimeType: 'application/json', buffer: Buffer.from(licence) });
  await until('the plan can start', () => button(page, 'Start the upgrade').isEnabled());
}

test('a patch is installed from the list of versions, over its plan, to its success', async () => {
  const page = await open('/upgrades');
  await shows(page, panel(page, 'Available versions').getByText('10.9.1.1800 → 11.0.2100 → 11.0.2187 → 11.1.2400'));
  await openPlan(page, '10.9.1.1842');
  await shows(page, panel(page, 'Checks').getByText('Passed'));
  await shows(page, panel(page, 'Steps from 10.9.1.1800 to 10.9.1.1842'));
  const id = await start(page);
  await shows(page, stateOf(page).getByText('Succeeded'));
  await until('all messages are on the page', async () => {
    const [shown, stored] = [await shownMessages(page), await storedMessages(id)];
    return shown.length > 10 && shown.join('\n') === stored.join('\n');
  });
  await link(page.getByRole('navigation', { name: 'Breadcrumbs' }), 'Upgrades').click();
  await shows(page, panel(page, 'Installed version').getByText('10.9.1.1842'));
  await shows(page, panel(page, 'History').getByText('Upgrade 10.9.1.1800 → 10.9.1.1842'));
});

test('a release past the point of no return starts only after its version is typed', async () => {
  const page = await open('/upgrades');
  await openReadyRelease(page);
  await shows(page, panel(page, /^Steps from/).getByText('Point of no return'));
  await button(page, 'Start the upgrade').click();
  const confirm = button(dialog(page), 'Start the upgrade');
  await shows(page, dialog(page).getByText('After the point of no return the upgrade cannot be rolled back.'));
  expect(await confirm.isDisabled()).toBe(true);
  await dialog(page).getByLabel('Type 11.0.2187 to confirm').fill('11.0');
  expect(await confirm.isDisabled()).toBe(true);
  await dialog(page).getByLabel('Type 11.0.2187 to confirm').fill('11.0.2187');
  await confirm.click();
  await shows(page, stateOf(page).getByText('Succeeded'));
  await shows(page, '11.0.2187 is installed. The system is open for writes.');
});

test('a job past the point of no return cannot be cancelled, and a dialog that is open then says so', async () => {
  await demo.must('/demo/settings', { ...QUICK, databaseMs: '2000', rolloutMs: '500' });
  const page = await open('/upgrades');
  await openReadyRelease(page);
  await button(page, 'Start the upgrade').click();
  await dialog(page).getByLabel('Type 11.0.2187 to confirm').fill('11.0.2187');
  await button(dialog(page), 'Start the upgrade').click();
  const cancel = button(page.locator('.pageHead'), 'Cancel the job');
  await cancel.click();
  await shows(page, dialog(page).getByText('Everything that it has changed is rolled back.'));
  await shows(page, dialog(page).getByText('The job is past the point of no return and cannot be rolled back.'));
  expect(await button(dialog(page), 'Cancel the job').isDisabled()).toBe(true);
  await button(dialog(page), 'Back').click();
  expect(await cancel.getAttribute('aria-disabled')).toBe('true');
  await shows(page, stateOf(page).getByText('Succeeded'));
  expect(await cancel.count()).toBe(0);
});

test('a plan that has a failed check cannot be started, and says what to do', async () => {
  const page = await open('/upgrades');
  await openPlan(page, '11.0.2100');
  await shows(page, panel(page, 'Checks').getByText('Failed'));
  await shows(page, 'A check has failed. Do what it says, then check again.');
  expect(await button(page, 'Start the upgrade').isDisabled()).toBe(true);
});

test('a simulated deployment offers the licence that a release needs', async () => {
  const page = await open('/upgrades');
  await openPlan(page, '11.0.2100');
  await shows(page, panel(page, 'Checks').getByText('is required for 11.0.2100'));
  await button(page, 'Use the demo licence').click();
  await hides(page, panel(page, 'Checks').getByText('is required for 11.0.2100'));
});

describe('a fault of the simulated deployment', () => {
  test('stops a patch, and the page says why and that it was rolled back', async () => {
    const page = await open('/upgrades');
    await isLoaded(page, 'Upgrades');
    const board = panel(page, 'Faults of the simulated deployment');
    await board.getByLabel('Fault').selectOption('A new container crashes again and again');
    await button(board, 'Put it in').click();
    await shows(page, board.getByRole('row').filter({ hasText: 'not yet' }));
    await openPlan(page, '10.9.1.1842');
    await start(page);
    await shows(page, stateOf(page).getByText('Rolled back'));
    await shows(page, page.getByRole('status').getByText(/crash/i));
  });

  test('stops a release past the point of no return, and a retry succeeds after its removal', async () => {
    await demo.must('/demo/faults/add', { kind: 'hookFails', hook: 'search-indices' });
    const page = await open('/upgrades');
    await openReadyRelease(page);
    await button(page, 'Start the upgrade').click();
    await dialog(page).getByLabel('Type 11.0.2187 to confirm').fill('11.0.2187');
    await button(dialog(page), 'Start the upgrade').click();
    await shows(page, stateOf(page).getByText('Failed'));
    await shows(page, page.getByRole('status').getByText(/simulated/));
    await button(panel(page, 'Faults of the simulated deployment'), 'Remove').click();
    await shows(page, 'No fault is in.');
    await button(page, 'Retry').click();
    await shows(page, stateOf(page).getByText('Succeeded'));
  });
});

test('a retry by another person is followed on an open page, and the list of versions shows what it has installed', async () => {
  // Another person may start a job between the look at the status and the next one.
  browser.expectProblems(/status of 409/);
  await demo.must('/demo/faults/add', { kind: 'hookFails', hook: 'search-indices' });
  await demo.must('/system/upgrades/declareRestorePoint', { name: 'nightly backup' });
  const versions = await open('/upgrades');
  await shows(versions, panel(versions, 'Installed version').getByText('10.9.1.1800'));
  const page = await open('/upgrades');
  await openReadyRelease(page);
  await button(page, 'Start the upgrade').click();
  await dialog(page).getByLabel('Type 11.0.2187 to confirm').fill('11.0.2187');
  await button(dialog(page), 'Start the upgrade').click();
  await shows(page, stateOf(page).getByText('Failed'));
  await shows(versions, panel(versions, 'Installed version').getByText('The upgrade to 11.0.2187 is not finished'));
  const [{ id }] = (await demo.must('/demo/faults')).faults;
  await demo.must('/demo/faults/remove', { id });
  await demo.must(`/system/jobs/${page.url().split('/').at(-1)}/retry`);
  await shows(page, stateOf(page).getByText('Succeeded'));
  await shows(versions, panel(versions, 'Installed version').getByText('11.0.2187', { exact: true }));
  await shows(versions, panel(versions, 'History').getByRole('row', { name: /11\.0\.2187 Succeeded/ }));
});

test('the upload of a licence shows its progress, can be cancelled, and says what is wrong with a file', async () => {
  browser.expectProblems(/net::ERR_/);
  const page = await open('/upgrades/plan/rel_11.0');
  const input = page.locator('input[type=file]');
  const file = (size: number) => ({
    name: 'licence.json',
    mimeType: 'application/json',
    buffer: Buffer.alloc(size, 32),
  });
  await shows(page, panel(page, 'Checks'));
  await input.setInputFiles(file(17 * MEGABYTE));
  await shows(page, /at most 16 MiB are accepted\. Choose another one\./);
  const network = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: MEGABYTE / 4 };
  await network.send('Network.emulateNetworkConditions', slow);
  await input.setInputFiles(file(8 * MEGABYTE));
  await shows(page, page.getByRole('progressbar', { name: 'Upload of licence.json' }));
  await shows(page, /^[1-9]\d? % of 8\.0 MiB/);
  await button(page, 'Cancel').click();
  await shows(page, 'The upload was cancelled. Nothing was stored.');
  await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await input.setInputFiles(file(MEGABYTE));
  await shows(page, panel(page, 'Checks').getByText('Send a licence that is valid for this version.'));
});

test('a server that is killed in the middle of an upgrade is reported, and every message is shown once', async () => {
  // While the server starts again, it answers 503.
  browser.expectProblems(/net::ERR_|503/);
  await demo.must('/demo/settings', { ...QUICK, rolloutMs: '4000' });
  const page = await open('/upgrades');
  await openPlan(page, '10.9.1.1842');
  const id = await start(page);
  await until('the upgrade is in the middle', async () => (await shownMessages(page)).length > 5);
  await demo.kill();
  await shows(page, 'The server does not answer since');
  await demo.startAgain();
  await shows(page, /The server did not answer from.*The job went on with message \d+: /s);
  await hides(page, 'The server does not answer since');
  await shows(page, stateOf(page).getByText('Succeeded'));
  const stored = await storedMessages(id);
  await until('all messages are on the page', async () => (await shownMessages(page)).length >= stored.length);
  expect(await shownMessages(page)).toEqual(stored);
});

test('the page of a job that does not exist says so', async () => {
  browser.expectProblems(/404/);
  const page = await open('/upgrades/jobs/no-such-job');
  await shows(page, 'No job with the id no-such-job.');
  expect(await page.getByText('does not answer').count()).toBe(0);
});
