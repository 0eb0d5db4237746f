import { expect, test } from 'vitest';
import { silentLog } from '../../foundation/log.ts';
import { newValues } from '../../model/entity/field.ts';
import { WEBHOOK } from '../../model/entity/webhook.ts';
import type { AttemptOutcome, AttemptRequest, Receiver } from '../ports/receiver.ts';
import type { ClaimedDelivery, Webhook } from '../ports/webhookStore.ts';
import { NO_FAILURES } from '../policy/failureWindow.ts';
import { createSchedule } from './schedule.ts';
import type { UnsettledAttemptsDependencies } from './unsettledAttempts.ts';
import { createUnsettledAttempts } from './unsettledAttempts.ts';

const NOW = 1_000_000;
const TERMS = { timeoutMs: 5000, leaseUntil: NOW + 15_000 };
const ACCEPTED: AttemptOutcome = { kind: 'accepted', status: 200, answer: '', durationMs: 1 };
const STOPPED: AttemptOutcome = { kind: 'unreachable', reason: 'stopped', answer: '', durationMs: 1 };

const SUBSCRIBED: Webhook = {
  id: 'w',
  scope: { folder: '', name: '', type: '' },
  ...newValues(WEBHOOK, { name: 'w', hookUrl: 'http://receiver.example/' }),
  sealed: '',
  owner: '',
  created: 0,
  modified: 0,
  revision: 1,
  deactivation: undefined,
  failures: NO_FAILURES,
};

function claimed(delivery: number, fence = 1): ClaimedDelivery {
  return { delivery, webhook: 1, revision: 1, fence, attempts: 2, messageId: `evt_${delivery}`, body: '{}' };
}

/** Attempts whose outcomes the test gives, with the two slots of webhook 1 occupied as after a claim. */
function attemptsWith(more: Partial<UnsettledAttemptsDependencies> = {}) {
  const requests: AttemptRequest[] = [];
  const answers: ((outcome: AttemptOutcome) => void)[] = [];
  const receiver: Receiver = {
    send: (request, signal) => {
      requests.push(request);
      return new Promise((resolve) => {
        answers.push(resolve);
        signal?.addEventListener('abort', () => resolve(STOPPED));
      });
    },
    problemWith: async () => undefined,
    close: async () => {},
  };
  const schedule = createSchedule({ total: 10, perWebhook: 2, batchSize: 2 });
  schedule.markDue(1, 0);
  schedule.takeQuotas(NOW);
  let ended = 0;
  const attempts = createUnsettledAttempts({
    receiver,
    schedule,
    unsealedWebhooks: { find: async () => ({ webhook: SUBSCRIBED, signing: { keys: [], headers: {} } }) },
    clock: { now: () => NOW, sleep: async () => {} },
    log: silentLog,
    wakeSignal: { wake: () => void (ended += 1) },
    ...more,
  });
  return { attempts, schedule, requests, answers, ended: () => ended };
}

const settle = () => new Promise(setImmediate);

test('a finished attempt keeps its slot until it is settled', async () => {
  const { attempts, schedule, requests, answers, ended } = attemptsWith();
  attempts.start(claimed(7), TERMS);
  await settle();
  expect([attempts.running(), attempts.finished(), ended()]).toEqual([1, 0, 0]);
  expect(requests[0]?.headers).toMatchObject({ 'webhook-id': 'evt_7', 'webhook-attempt': '3' });
  answers[0]?.(ACCEPTED);
  await settle();
  expect([attempts.running(), attempts.finished(), ended(), schedule.busySlots()]).toEqual([0, 1, 1, 2]);
  expect(attempts.takeFinished(10)).toMatchObject([{ delivery: 7, webhook: 1, fence: 1, outcome: ACCEPTED }]);
  attempts.settled(7, 1);
  expect(schedule.busySlots()).toBe(1);
});

test('a batch that could not be settled comes first again', async () => {
  const { attempts, answers } = attemptsWith();
  for (const delivery of [1, 2, 3]) attempts.start(claimed(delivery), TERMS);
  await settle();
  for (const answer of answers) answer(ACCEPTED);
  await settle();
  const batch = attempts.takeFinished(2);
  attempts.putBack(batch);
  expect(attempts.takeFinished(10).map(({ delivery }) => delivery)).toEqual([1, 2, 3]);
});

test('a delivery that is claimed again while it is under way is not sent twice and is settled with the new fence', async () => {
  const { attempts, schedule, requests, answers } = attemptsWith();
  attempts.start(claimed(7, 1), TERMS);
  attempts.start(claimed(7, 2), TERMS);
  await settle();
  expect([requests.length, schedule.busySlots()]).toEqual([1, 1]);
  answers[0]?.(ACCEPTED);
  await settle();
  expect(attempts.takeFinished(10)).toMatchObject([{ delivery: 7, fence: 2 }]);
});

test('[WHK29] an outcome that the store refuses because this replica has claimed the delivery again is kept for the new claim', async () => {
  const { attempts, answers } = attemptsWith();
  for (const delivery of [7, 8]) attempts.start(claimed(delivery, 1), TERMS);
  await settle();
  for (const answer of answers) answer(ACCEPTED);
  await settle();
  const batch = attempts.takeFinished(10);
  const lost = batch.map(({ delivery, webhook }) => ({ delivery, webhook, verdict: 'lost' as const }));
  // The claim has ended while the outcomes were being settled. Another replica has the other delivery.
  attempts.start(claimed(7, 2), TERMS);
  const again = attempts.claimedAgain(batch, lost);
  expect([...again.keys()]).toEqual([7]);
  attempts.putBack([...again.values()]);
  expect(attempts.takeFinished(10)).toMatchObject([{ delivery: 7, fence: 2 }]);
  const delivered = lost.map((one) => ({ ...one, verdict: { kind: 'delivered' } as const }));
  expect(attempts.claimedAgain(batch, delivered).size).toBe(0);
});

test('an attempt that could not be settled within its lease is not sent, and is given back', async () => {
  const { attempts, schedule, requests } = attemptsWith();
  attempts.start(claimed(7), { timeoutMs: 5000, leaseUntil: NOW + 4999 });
  await settle();
  expect([requests.length, attempts.running(), schedule.busySlots()]).toEqual([0, 0, 2]);
  expect(attempts.take('postponed', 10)).toMatchObject([{ delivery: 7 }]);
});

test('a delivery of a webhook that was removed is not sent, and is given back', async () => {
  const { attempts, schedule, requests } = attemptsWith({ unsealedWebhooks: { find: async () => undefined } });
  attempts.start(claimed(7), TERMS);
  await settle();
  expect([requests.length, attempts.running(), schedule.busySlots()]).toEqual([0, 0, 2]);
  expect(attempts.take('withdrawn', 10)).toMatchObject([{ delivery: 7 }]);
});

test('the attempts of a webhook that is removed are cut and given back, and no more of it is sent', async () => {
  const { attempts, requests } = attemptsWith();
  attempts.start(claimed(7), TERMS);
  attempts.start({ ...claimed(8), webhook: 2 }, TERMS);
  await settle();
  attempts.withdraw([1]);
  attempts.start(claimed(9), TERMS);
  await settle();
  expect([requests.length, attempts.running()]).toEqual([2, 1]);
  expect(attempts.take('withdrawn', 10).map(({ delivery }) => delivery)).toEqual([7, 9]);
});

test('an aborted attempt without an answer is unsent, and one with an answer is finished', async () => {
  const { attempts, answers } = attemptsWith();
  attempts.start(claimed(1), TERMS);
  attempts.start(claimed(2, 5), TERMS);
  await settle();
  answers[0]?.(ACCEPTED);
  attempts.abort();
  await settle();
  expect(attempts.takeFinished(10).map(({ delivery }) => delivery)).toEqual([1]);
  expect(attempts.unsent()).toEqual([{ delivery: 2, fence: 5 }]);
});
