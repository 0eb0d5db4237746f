import { expect, test } from 'vitest';
import { localActor } from '../../model/actor.ts';
import { SYSTEM } from '../../model/serviceKey.ts';
import type { Webhook } from '../ports/webhookStore.ts';
import {
  activated,
  afterFailures,
  auditNote,
  deactivated,
  deactivation,
  logDeactivation,
  newWebhook,
} from './webhook.ts';

const DETAILS = {
  name: 'orders',
  hookUrl: 'https://receiver.example/hook/7?key=secret-of-the-receiver&b=1',
  active: true,
  changeTypes: ['*'],
  contentType: 'application/json',
  signatureHeader: '',
  receiverSignals: false,
} as const;
const MASKED = 'https://receiver.example/hook/7?…';

function webhook(hookUrl: string = DETAILS.hookUrl): Webhook {
  return newWebhook(SYSTEM, { ...DETAILS, hookUrl }, 'sealed', { by: localActor('test'), now: 1, names: [] });
}

/** Lets deliveries fail until the policy says something. */
function failuresOf(found: Webhook, numberOfFailures: number) {
  const policy = {
    numberOfFailures,
    daysInPast: 5,
    notificationAttempts: 1,
    notificationTimeOutInSeconds: 10,
    notificationElapsedTimeInSeconds: 30,
  };
  return afterFailures({ webhook: found, policy, failedAt: [2, 3], now: 4, isGone: false });
}

test('[WHK17] the query of a hookUrl is masked in the log, in events and in the audit log', () => {
  const off = deactivated(webhook(), 'a reason', 5);
  const logged: object[] = [];
  logDeactivation({ warn: (fields) => void logged.push(fields) }, off);
  const [failing, ended] = [failuresOf(webhook(), 4), failuresOf(webhook(), 2)];
  const all = {
    logged,
    deactivation: deactivation(off),
    failing: failing.announce,
    ended: [ended.announce, ended.audit],
    audit: auditNote('webhook.activate', off, activated(off, 6)),
  };
  expect([failing.announce.length, ended.announce.length, ended.audit.length]).toEqual([1, 1, 1]);
  expect(JSON.stringify(all)).not.toContain('secret-of-the-receiver');
  expect(JSON.stringify(all).split(MASKED)).toHaveLength(1 + 8);
  // What is sent and stored keeps it.
  expect(ended.change.hookUrl).toBe(DETAILS.hookUrl);
});

test('[WHK17] a hookUrl without a query is shown as it is', () => {
  const { data } = deactivation(webhook('https://receiver.example/hook'));
  expect(data).toMatchObject({ hookUrl: 'https://receiver.example/hook' });
});
