import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SECOND } from '../../src/foundation/clock.ts';
import { carryOut } from '../support/upgrades/followAdvice.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { startUpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';

const KEPT_MS = 2 * SECOND;
const HOOKS = '/admin/services/Orders.Map/webhooks';

let steward: UpgradeServer;
let courier: ReturnType<UpgradeServer['areas']['webhooks']['startCourier']>;

beforeAll(async () => {
  steward = await startUpgradeServer();
  courier = steward.areas.webhooks.startCourier();
  await steward.must('/admin/services/createService', { serviceName: 'Orders', type: 'Map' });
  await steward.must('/admin/services/webhooks/settings', { notificationAttempts: '1', numberOfFailures: '4' });
});
afterAll(async () => {
  await courier.stop();
  await steward.close();
});

async function attention() {
  await steward.pass(KEPT_MS);
  return (await steward.must('/admin/system/overview')).attention;
}

test('[C4] [V3] [UPG30] a webhook fails, is near deactivation and is deactivated; its next actions make it healthy again', async () => {
  steward.receiver.answerWith(() => BROKEN);
  const { id } = (
    await steward.must(`${HOOKS}/create`, {
      name: 'ledger',
      hookUrl: 'https://receiver.example/x',
      changeTypes: '["order"]',
    })
  ).webhook;
  const seen: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    await steward.must('/admin/services/Orders.Map/events', { event: 'order', payload: '1' });
    await steward.pass(10 * SECOND);
    const [item] = await attention();
    const { health } = await steward.must(`${HOOKS}/${id}`);
    expect((await steward.must(HOOKS)).webhooks[0].health).toBe(health);
    expect((await steward.must(`${HOOKS}/${id}/notificationStatus`)).state).toBe(health);
    expect(item.subject).toEqual({ kind: 'webhook', name: 'ledger', id, service: 'Orders.Map' });
    seen.push(`${item.kind} ${health}`);
  }
  expect(seen).toEqual([
    'webhookFailing failing',
    'webhookNearDeactivation failing',
    'webhookNearDeactivation failing',
    'webhookDeactivated deactivated',
  ]);
  await steward.must('/admin/services/Orders.Map/events', { event: 'order', payload: '2' });
  steward.receiver.answerWith(() => OK);
  const [item] = await attention();
  const wanted = item.nextActions.filter(({ action }: { readonly action: string }) => action !== 'resendFailed');
  await carryOut(wanted, { client: steward, untilEnd: steward.untilEnd });
  await steward.pass(10 * SECOND);
  expect(await attention()).toEqual([]);
  expect((await steward.must(`${HOOKS}/${id}`)).health).toBe('healthy');
});

test('[C4] an edit with active is one transaction, with both changes in the audit log', async () => {
  const { id } = (await steward.must(`${HOOKS}/create`, { name: 'two', hookUrl: 'https://receiver.example/y' }))
    .webhook;
  const change = vi.spyOn(steward.store.webhooks, 'changeWebhook');
  const { webhook } = await steward.must(`${HOOKS}/${id}/edit`, { name: 'renamed', active: 'false' });
  expect(change).toHaveBeenCalledTimes(1);
  change.mockRestore();
  expect(webhook).toMatchObject({ name: 'renamed', active: false, health: 'deactivated' });
  // A person has deactivated it, so it needs no one.
  expect(await attention()).toEqual([]);
  expect((await steward.must(`${HOOKS}/${id}/edit`, { active: 'true' })).webhook.active).toBe(true);
});

test('[DEC63] a failing webhook needs attention since its first failure after its last success, not since its latest attempt', async () => {
  await steward.must('/admin/services/webhooks/settings', { numberOfFailures: '9' });
  await steward.must(`${HOOKS}/create`, { name: 'since', hookUrl: 'https://receiver.example/z' });
  const send = async (answer: typeof OK) => {
    steward.receiver.answerWith(() => answer);
    await steward.must('/admin/services/Orders.Map/events', { event: 'order', payload: '1' });
    await steward.pass(10 * SECOND);
    const items: readonly { readonly subject: { readonly name: string }; readonly since: number }[] = await attention();
    return items.find(({ subject }) => subject.name === 'since');
  };
  expect(await send(OK)).toBeUndefined();
  const before = steward.clock.now();
  const first = await send(BROKEN);
  expect(first).toMatchObject({
    kind: 'webhookFailing',
    cause: expect.stringMatching(/has accepted the last one at \d/),
  });
  expect((first?.since ?? 0) - before).toBeLessThan(10 * SECOND);
  expect(first?.since).toBeGreaterThanOrEqual(before);
  expect((await send(BROKEN))?.since).toBe(first?.since);
});
