import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleForFile } from '../support/browser/consoleForFile.ts';
import { button, choose, isLoaded, link, panel, shows } from '../support/browser/pageActions.ts';
import { until } from '../support/run/until.ts';

const { demo, open } = consoleForFile();
const SERVICE = 'Finance/Invoices.Query';
const AT = `/services/${SERVICE}`;
const MARKUP = '<img src=x onerror="globalThis.ran=1"><b>bold</b>';
let receiver: string;
let hostile: Server;

beforeAll(async () => {
  ({ url: receiver } = await demo.must('/demo/receiver'));
  hostile = createServer((_request, response) => void response.writeHead(200).end(MARKUP));
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
});
afterAll(() => hostile.close());

async function createWebhook(name: string, hookUrl = `${receiver}/receive/${name}`): Promise<string> {
  return (await demo.must(`${AT}/webhooks/create`, { name, hookUrl })).webhook.id;
}

function pageOf(id: string): string {
  return `/webhooks/${encodeURIComponent(SERVICE)}/${id}`;
}

/** Deletes a webhook, so that it does not take the events of later tests. */
async function remove(id: string): Promise<void> {
  await demo.must(`${AT}/webhooks/${id}/delete`);
}

async function send(payload: object): Promise<void> {
  await demo.must(`${AT}/events`, { event: 'invoice.paid', payload: JSON.stringify(payload) });
}

function newest(page: Page) {
  return panel(page, 'Newest deliveries').getByRole('row');
}

test('a webhook is created on the demo receiver, its key is shown once, and its delivery has an attempt', async () => {
  const page = await open('/webhooks');
  await isLoaded(page, 'Webhooks');
  await link(page.locator('.pageHead'), 'New webhook').click();
  await isLoaded(page, 'New webhook');
  await choose(page, page.getByRole('combobox', { name: 'Service' }), SERVICE);
  await page.getByRole('textbox', { name: 'Name' }).fill('ledger');
  await button(page, 'Use the demo receiver').click();
  await button(page, 'Create the webhook').click();
  await shows(page, 'Copy this key now. It is not shown again.');
  const key = await page.getByText(/^whsec_/).innerText();
  await link(page, 'I have copied the key. Open the webhook').click();
  await isLoaded(page, 'ledger');
  expect(await page.locator('body').innerText()).not.toContain(key);
  const id = page.url().split('/').at(-1) ?? '';
  await send({ amount: 12 });
  await shows(page, newest(page).filter({ hasText: 'Delivered' }));
  await link(newest(page), 'invoice.paid').click();
  await isLoaded(page, /^Delivery /);
  await shows(page, panel(page, 'Attempts').getByText('Attempt 1'));
  await shows(page, panel(page, 'Attempts').getByText('Accepted, 200'));
  await shows(page, panel(page, 'Request body').getByText('"amount": 12'));
  await remove(id);
});

test('a test of a webhook shows the answer of its receiver', async () => {
  const id = await createWebhook('tested');
  const page = await open(pageOf(id));
  await isLoaded(page, 'tested');
  await button(page, 'Send a test').click();
  await shows(page, panel(page, 'Test').getByText('Accepted, 200'));
  await remove(id);
});

test('a failing webhook becomes inactive, and its held events are delivered after it is activated', async () => {
  const policy = { notificationAttempts: '1', numberOfFailures: '1' };
  const { notificationAttempts, numberOfFailures } = await demo.must('/services/webhooks/settings');
  await demo.must('/services/webhooks/settings', policy);
  const id = await createWebhook('failing');
  const page = await open(pageOf(id));
  await isLoaded(page, 'failing');
  await choose(page, page.getByRole('combobox', { name: 'How the demo receiver answers' }), 'Refuse: 500');
  await shows(page, 'The demo receiver answers this way from now on.');
  await send({ n: 1 });
  await shows(page, page.locator('.pageHead').getByText('Deactivated'));
  await send({ n: 2 });
  await shows(page, newest(page).filter({ hasText: 'Held' }));
  await choose(page, page.getByRole('combobox', { name: 'How the demo receiver answers' }), 'Accept: 200');
  await button(page, 'Activate and send 1 held').click();
  await shows(page, page.locator('.pageHead').getByText('Healthy'));
  await shows(page, newest(page).filter({ hasText: 'Delivered' }));
  await demo.must('/services/webhooks/settings', {
    notificationAttempts: String(notificationAttempts),
    numberOfFailures: String(numberOfFailures),
  });
  await remove(id);
});

test('a list of webhooks that is left while it loads reports no error', async () => {
  const page = await open('/');
  await isLoaded(page, 'Overview');
  const held: string[] = [];
  // Never answered, so that leaving the page aborts them.
  await page.route(/\/admin\/(services|system)\/webhooks\?/, (route) => void held.push(route.request().url()));
  await link(page.getByRole('navigation', { name: 'Pages' }), 'Webhooks').click();
  await until('both parts of the list are asked for', () => held.length >= 2);
  await link(page.getByRole('navigation', { name: 'Pages' }), 'Overview').click();
  await isLoaded(page, 'Overview');
});

test('the delivery policy is changed and saved', async () => {
  const page = await open('/webhooks/settings');
  await isLoaded(page, 'Delivery policy');
  expect(await button(page, 'Save the policy').isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Attempts' }).fill('2');
  await page.getByRole('textbox', { name: 'Failures that deactivate' }).fill('77');
  await button(page, 'Save the policy').click();
  await shows(page, 'The delivery policy is saved.');
  expect(await demo.must('/services/webhooks/settings')).toMatchObject({
    notificationAttempts: 2,
    numberOfFailures: 77,
  });
  await until('the form has nothing to save', () => button(page, 'Save the policy').isDisabled());
});

describe('markup is shown as text', () => {
  async function mustBeText(page: Page): Promise<void> {
    await shows(page, MARKUP);
    expect(await page.locator('img[src=x]').count()).toBe(0);
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
  }

  test('in the description of a service', async () => {
    const fields = { serviceName: 'Markup', type: 'Query', description: MARKUP, capabilities: MARKUP };
    await demo.must('/services/createService', fields);
    const list = await open('/catalog?q=markup');
    await isLoaded(list, 'Catalog');
    await mustBeText(list);
    await link(list, 'Markup').click();
    await isLoaded(list, 'Markup.Query');
    await mustBeText(list);
    const audit = await open(`/audit?${new URLSearchParams({ target: 'service Markup.Query' }).toString()}`);
    await isLoaded(audit, 'Audit log');
    await mustBeText(audit);
  });

  test('in the names of users and tokens', async () => {
    await demo.must('/security/users/create', {
      username: 'markup',
      password: 'k7#mvQz2-and-more',
      role: 'viewer',
      fullName: MARKUP,
    });
    await demo.must('/security/tokens/create', { name: MARKUP, role: 'viewer' });
    for (const [path, title] of [
      ['/users', 'Users'],
      ['/tokens', 'Tokens'],
    ] as const) {
      const page = await open(path);
      await isLoaded(page, title);
      await mustBeText(page);
    }
  });

  test('in the answer of a receiver', async () => {
    const id = await createWebhook('hostile', `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`);
    await send({ text: MARKUP });
    const page = await open(pageOf(id));
    await isLoaded(page, 'hostile');
    await button(page, 'Send a test').click();
    await mustBeText(page);
    await link(newest(page), 'invoice.paid').click();
    await isLoaded(page, /^Delivery /);
    await shows(page, panel(page, 'Attempts').getByText(MARKUP));
    await mustBeText(page);
    await remove(id);
  });
});
