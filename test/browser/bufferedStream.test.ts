import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startBufferingProxy } from '../support/browser/bufferingProxy.ts';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { hides, shows } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const SLOW = { rolloutMs: '600000', hookMs: '20', databaseMs: '20' };
const QUICK = { rolloutMs: '20', hookMs: '20', databaseMs: '20' };
const { demo, browser, session } = consoleForFile(SLOW);

/** The messages on the page, the oldest first. */
async function shownMessages(page: Page): Promise<readonly string[]> {
  return (await page.locator('.messages .message .lines').allTextContents()).toReversed();
}

async function storedMessages(id: string): Promise<readonly string[]> {
  const { messages } = await demo.must(`/system/jobs/${id}/messages`, { f: 'json' });
  return messages.map(({ message }: { readonly message: string }) => message.replaceAll('`', ''));
}

async function showsAllMessages(page: Page, id: string): Promise<void> {
  await until('the page shows all messages', async () => {
    const [shown, stored] = [await shownMessages(page), await storedMessages(id)];
    return stored.length > 0 && shown.join('\n') === stored.join('\n');
  });
}

test.each([
  ['the whole stream', false],
  ['the events of the stream', true],
] as const)(
  'behind a proxy that holds back %s, the page shows a running job and its messages',
  async (_, passesHead) => {
    await demo.must('/demo/deployment/reset');
    await demo.must('/demo/settings', SLOW);
    const { job } = await demo.must('/system/upgrades/upgrade', { versionManifest: 'pat_10.9.1.1842' });
    const proxy = await startBufferingProxy({ target: demo.page(), passesHead });
    try {
      const address = new URL(new URL(demo.page(`/upgrades/jobs/${job.id}`)).pathname, proxy.url).href;
      const page = await browser.open(address, { session: await session() });
      const state = page.locator('.pageHead .state');
      await shows(page, state.getByText('In progress'));
      await showsAllMessages(page, job.id);
      expect(proxy.held()).toBe(1);
      await demo.must('/demo/settings', QUICK);
      await demo.must(`/system/jobs/${job.id}/pause`);
      await shows(page, state.getByText('Paused'));
      expect(proxy.held()).toBe(1);
      await demo.must(`/system/jobs/${job.id}/cancel`);
      await shows(page, state.getByText('Rolled back'));
      await showsAllMessages(page, job.id);
      await hides(page, 'does not answer');
    } finally {
      await proxy.close();
    }
  },
);
