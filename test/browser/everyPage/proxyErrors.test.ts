import { expect, test } from 'vitest';
import { consoleForFile } from '../../support/browser/consoleForFile.ts';
import { button, dialog, isLoaded, shows } from '../../support/browser/pageActions.ts';

const MEGABYTE = 1024 * 1024;
const { browser, open } = consoleForFile();

test('[V14] an upload that a proxy refuses as too large names the file, its size and the limit to raise', async () => {
  browser.expectProblems(/status of 413/);
  const page = await open('/uploads');
  await isLoaded(page, 'Uploads');
  await page.route('**/uploads/upload', (route) =>
    route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>413 Request Entity Too Large</h1>' }),
  );
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'licence.json', mimeType: 'application/json', buffer: Buffer.alloc(3 * MEGABYTE, 32) });
  const send = button(page, 'Upload');
  if ((await send.count()) > 0) await send.click();
  await shows(page, 'A proxy in front of Steward refused licence.json (3.0 MiB) with 413');
  await shows(page, 'client_max_body_size 17m');
  expect(await page.getByText('The server answered 413').count()).toBe(0);
});

test.each([
  [502, 'it cannot reach Steward.'],
  [504, 'Steward did not answer it in time.'],
])('[V14] a change that a proxy answers with %d says what the proxy means', async (status, reason) => {
  browser.expectProblems(/status of 50\d/);
  const page = await open('/catalog');
  await isLoaded(page, 'Catalog');
  await page.route('**/createFolder', (route) =>
    route.fulfill({ status, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  );
  await button(page, 'New folder').click();
  await dialog(page).getByLabel('Name').fill('Lost');
  await page.keyboard.press('Enter');
  await shows(page, `A proxy answered ${status}: ${reason} It is not known whether this was done.`);
});
