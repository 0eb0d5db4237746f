import { describe, expect, test } from 'vitest';
import type { ClaimedDelivery } from '../ports/webhookStore.ts';
import { createSchedule, mergeDueTimes } from './schedule.ts';

const NOW = 1000;
const LIMITS = { total: 100, perWebhook: 4, batchSize: 8 };

function deliveriesOf(webhook: number, count: number): readonly ClaimedDelivery[] {
  return Array.from({ length: count }, (_, n) => ({
    delivery: webhook * 1000 + n,
    webhook,
    revision: 1,
    fence: 1,
    attempts: 0,
    messageId: '',
    body: '',
  }));
}

function scheduleOf(...due: readonly number[]) {
  const schedule = createSchedule(LIMITS);
  for (const number of due) schedule.markDue(number, NOW);
  return schedule;
}

/** Records that each webhook got as many deliveries as given. */
function record(
  schedule: ReturnType<typeof createSchedule>,
  quotas: ReturnType<typeof schedule.takeQuotas>,
  counts: Readonly<Record<number, number>>,
  dueAgain: ReadonlyMap<number, number> = new Map(),
): void {
  const claimed = Object.entries(counts).flatMap(([number, count]) => deliveriesOf(Number(number), count));
  schedule.recordClaim(quotas, { claimed, dueAgain });
}

describe('quotas', () => {
  test('a webhook gets a quota when it is due and not before', () => {
    const schedule = createSchedule(LIMITS);
    schedule.markDue(1, NOW);
    expect(schedule.takeQuotas(NOW - 1)).toEqual([]);
    expect(schedule.takeQuotas(NOW)).toEqual([{ number: 1, limit: 4 }]);
  });

  test('due webhooks get equal shares of a batch', () => {
    expect(scheduleOf(1, 2, 3).takeQuotas(NOW)).toEqual([
      { number: 1, limit: 3 },
      { number: 2, limit: 3 },
      { number: 3, limit: 3 },
    ]);
  });

  test('each of many due webhooks gets at least one, up to eight webhooks for each delivery of a batch', () => {
    const quotas = scheduleOf(...Array.from({ length: 100 }, (_, n) => n)).takeQuotas(NOW);
    expect(quotas).toHaveLength(64);
    expect(new Set(quotas.map(({ limit }) => limit))).toEqual(new Set([1]));
  });

  test('a webhook is not claimed for again until its claim is recorded', () => {
    const schedule = scheduleOf(1);
    schedule.takeQuotas(NOW);
    expect(schedule.takeQuotas(NOW)).toEqual([]);
  });

  test('a webhook that used its whole quota is due again, after the others', () => {
    const schedule = scheduleOf(1);
    const quotas = schedule.takeQuotas(NOW);
    schedule.markDue(2, NOW);
    record(schedule, quotas, { 1: 4 });
    for (let n = 0; n < 4; n += 1) schedule.freeSlot(1);
    expect(schedule.takeQuotas(NOW).map(({ number }) => number)).toEqual([2, 1]);
  });

  test('a webhook that used less than its quota is not due any more', () => {
    const schedule = scheduleOf(1);
    record(schedule, schedule.takeQuotas(NOW), { 1: 2 });
    expect(schedule.takeQuotas(NOW)).toEqual([]);
  });

  test('a webhook that was marked due during its claim stays due', () => {
    const schedule = scheduleOf(1);
    const quotas = schedule.takeQuotas(NOW);
    schedule.markDue(1, NOW);
    record(schedule, quotas, { 1: 1 });
    expect(schedule.takeQuotas(NOW)).toEqual([{ number: 1, limit: 3 }]);
  });

  test('a paced webhook is due at the time that the store named', () => {
    const schedule = scheduleOf(1);
    record(schedule, schedule.takeQuotas(NOW), { 1: 4 }, new Map([[1, NOW + 20]]));
    for (let n = 0; n < 4; n += 1) schedule.freeSlot(1);
    expect(schedule.takeQuotas(NOW + 19)).toEqual([]);
    expect(schedule.takeQuotas(NOW + 20)).toHaveLength(1);
  });
});

describe('slots', () => {
  test('a webhook never has more than its own slots, and a slow one does not take those of another', () => {
    const schedule = scheduleOf(1, 2);
    record(schedule, schedule.takeQuotas(NOW), { 1: 4, 2: 4 });
    expect(schedule.takeQuotas(NOW)).toEqual([]);
    for (let n = 0; n < 4; n += 1) schedule.freeSlot(2);
    expect(schedule.takeQuotas(NOW)).toEqual([{ number: 2, limit: 4 }]);
  });

  test('all webhooks together never have more than the total', () => {
    const schedule = createSchedule({ total: 5, perWebhook: 4, batchSize: 8 });
    schedule.markDue(1, NOW);
    schedule.markDue(2, NOW);
    expect(schedule.takeQuotas(NOW)).toEqual([
      { number: 1, limit: 4 },
      { number: 2, limit: 1 },
    ]);
  });

  test('slots that a claim did not use are free again', () => {
    const schedule = scheduleOf(1);
    const quotas = schedule.takeQuotas(NOW);
    expect(schedule.busySlots()).toBe(4);
    record(schedule, quotas, { 1: 1 });
    expect(schedule.busySlots()).toBe(1);
    schedule.freeSlot(1);
    expect(schedule.busySlots()).toBe(0);
  });

  test('a failed claim frees its slots', () => {
    const schedule = scheduleOf(1);
    record(schedule, schedule.takeQuotas(NOW), {});
    expect(schedule.busySlots()).toBe(0);
  });

  test('the next due time ignores webhooks without a free slot', () => {
    const schedule = scheduleOf(1);
    record(schedule, schedule.takeQuotas(NOW), { 1: 4 });
    schedule.markDue(2, NOW + 500);
    expect(schedule.nextDueAt()).toBe(NOW + 500);
    schedule.freeSlot(1);
    expect(schedule.nextDueAt()).toBe(0);
  });
});

describe('due times', () => {
  test('the earliest of several due times counts', () => {
    const schedule = createSchedule(LIMITS);
    schedule.markDue(1, NOW + 10);
    schedule.markDue(1, NOW + 20);
    expect(schedule.nextDueAt()).toBe(NOW + 10);
    schedule.markDue(1, NOW + 5);
    expect(schedule.nextDueAt()).toBe(NOW + 5);
  });

  test('the answer of the store replaces known times, adds new webhooks and removes those without deliveries', () => {
    const known = new Map([
      [1, 10],
      [2, 20],
    ]);
    const stored = new Map([
      [3, 30],
      [2, 25],
    ]);
    expect([...mergeDueTimes(known, stored, new Set())]).toEqual([
      [2, 25],
      [3, 30],
    ]);
  });

  test('a webhook that was marked due since the store was asked stays due, at the earlier time', () => {
    const known = new Map([
      [1, 10],
      [2, 20],
      [3, 40],
    ]);
    const stored = new Map([
      [2, 25],
      [3, 30],
    ]);
    expect([...mergeDueTimes(known, stored, new Set([1, 2, 3]))]).toEqual([
      [1, 10],
      [2, 20],
      [3, 30],
    ]);
  });

  test('a refresh keeps the order of the webhooks, so that none is overtaken', async () => {
    const schedule = scheduleOf(5, 3, 4);
    const times = new Map([1, 3, 4, 5].map((number) => [number, NOW]));
    await schedule.refresh(async () => times);
    expect(schedule.takeQuotas(NOW).map(({ number }) => number)).toEqual([5, 3, 4, 1]);
  });

  test('a webhook that is marked due during a refresh is not forgotten', async () => {
    const schedule = createSchedule(LIMITS);
    await schedule.refresh(async () => {
      schedule.markDue(7, NOW);
      return new Map();
    });
    expect(schedule.takeQuotas(NOW)).toHaveLength(1);
    await schedule.refresh(async () => new Map());
    expect(schedule.nextDueAt()).toBe(Number.POSITIVE_INFINITY);
  });
});
