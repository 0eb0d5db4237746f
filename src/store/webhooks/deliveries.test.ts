import { expect, test } from 'vitest';
import { BY, createWebhookReplica } from '../../../test/support/webhooks/webhookReplica.ts';
import { manualClock } from '../../../test/support/clock/manualClock.ts';
import { eachStore, placeForEachTest, rowsOf } from '../../../test/support/store/stores.ts';
import type { DeliveryState } from '../../model/deliveryState.ts';
import { DELIVERY_STATES, DELIVERY_TRANSITIONS } from '../../model/deliveryState.ts';
import { stateAllows } from './webhookTables.ts';

const REQUEUE = { change: 'requeue', announce: [], audit: [] } as const;

test('the condition of a transition names exactly the states that it may start from', () => {
  expect(stateAllows('deliver')).toBe(`state = 'pending'`);
  expect(stateAllows('requeue')).toBe(`state in ('delivered', 'failed', 'discarded')`);
});

test('every state of a delivery can be reached from pending, and pending from every state', () => {
  const next = (from: DeliveryState): readonly DeliveryState[] =>
    Object.values(DELIVERY_TRANSITIONS)
      .filter((one) => one.from.some((state) => state === from))
      .map(({ to }) => to);
  expect([...new Set(next('pending'))].toSorted()).toEqual(DELIVERY_STATES.toSorted());
  for (const state of DELIVERY_STATES) expect(next(state)).toContain('pending');
});

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('a pending delivery is not requeued, even if the rule of the area allows it', async () => {
    const store = await at.open();
    const world = createWebhookReplica(store, manualClock(1000));
    const webhook = await world.subscribe();
    await world.publish(1);
    const [before] = await rowsOf(at.place(), 'delivery');
    const redelivery = store.webhooks.redeliver(webhook, Number(before?.['id']), BY, () => REQUEUE);
    await expect(redelivery).rejects.toThrow('is pending and cannot be requeued');
    expect(await rowsOf(at.place(), 'delivery')).toEqual([before]);
  });
});
