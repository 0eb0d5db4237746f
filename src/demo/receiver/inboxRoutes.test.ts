import { expect, onTestFinished, test } from 'vitest';
import type { Call } from '../../http/server/handler.ts';
import type { Fields } from '../../wire/fields/fields.ts';
import { startDemoReceiver } from './demoReceiver.ts';
import { inboxRoutes } from './inboxRoutes.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

async function opened() {
  const receiver = await startDemoReceiver({ port: 0, now: () => NOW, secretsFor: () => Promise.resolve([]) });
  onTestFinished(() => receiver.close());
  const routes = inboxRoutes(receiver);
  const call = async (name: string, fields: object = {}): Promise<unknown> => {
    const route = routes.find((one) => one.name === name);
    const result = await route?.handle({ fields } as unknown as Call<Fields>);
    return result !== undefined && 'body' in result ? result.body : undefined;
  };
  return { receiver, call, send: () => fetch(`${receiver.url}/receive/depot`, { method: 'POST', body: '<b>' }) };
}

test('[WHK5] a box shows its deliveries to the console', async () => {
  const { receiver, call, send } = await opened();
  await send();
  expect(await call('receiver')).toMatchObject({ url: receiver.url, boxes: [{ name: 'depot', received: 1 }] });
  expect(await call('inbox', { name: 'depot' })).toMatchObject({
    url: receiver.url,
    path: '/receive/depot',
    behaviour: { answer: '200' },
    deliveries: [{ at: NOW, verified: false, answered: 200, body: '<b>' }],
  });
});

test('[WHK5] the console changes how a box answers', async () => {
  const { call, send } = await opened();
  await call('behave', { name: 'depot', answer: '503' });
  expect((await send()).status).toBe(503);
  expect(await call('behave', { name: 'depot', answer: 'slow', seconds: 2 })).toMatchObject({
    box: { behaviour: { answer: 'slow', seconds: 2 } },
  });
  await expect(call('behave', { name: 'depot', answer: '700' })).rejects.toThrow('invalid field');
});

test('[WHK5] a cleared box is empty and answers 200, and looking at a box does not create it', async () => {
  const { call, send } = await opened();
  await call('behave', { name: 'depot', answer: '500' });
  await send();
  expect(await call('clear', { name: 'depot' })).toMatchObject({ box: { received: 0, behaviour: { answer: '200' } } });
  expect(await call('inbox', { name: 'depot' })).toMatchObject({ received: 0, deliveries: [] });
  expect(await call('receiver')).toMatchObject({ boxes: [] });
});
