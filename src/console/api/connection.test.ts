import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outage } from './connection.ts';
import { createConnection } from './connection.ts';

const GONE: Outage = { kind: 'noAnswer' };
/** A probe that hangs. */
const NEVER = new Promise<undefined>(() => undefined);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection whose probes find what `now` answers, and the outages that it has told. */
function watched(now: () => Promise<Outage | undefined>) {
  let probes = 0;
  const told: (Outage | undefined)[] = [];
  const connection = createConnection(() => {
    probes += 1;
    return now();
  });
  connection.subscribe(() => told.push(connection.outage()));
  return { connection, told, probes: () => probes };
}

test('[V6] a failed request does not count as an outage if the server answers the probe after it', async () => {
  const { connection, told, probes } = watched(async () => undefined);
  connection.doubt();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([told, probes()]).toEqual([[], 1]);
});

test('[V6] an outage is announced once, and its end at most 1.3 s after the server is back', async () => {
  let found: Outage | undefined = GONE;
  const { connection, told, probes } = watched(async () => found);
  connection.doubt();
  connection.doubt();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([GONE]);
  expect(probes()).toBeLessThan(60);
  found = undefined;
  await vi.advanceTimersByTimeAsync(1300);
  expect(told).toEqual([GONE, undefined]);
  const before = probes();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(probes()).toBe(before);
});

test('[V6] a probe that hangs does not delay the end of an outage, and what it finds later does not count', async () => {
  let fail: (found: Outage) => void = () => undefined;
  const answers: Promise<Outage | undefined>[] = [
    Promise.resolve(GONE),
    new Promise((resolve) => (fail = resolve)),
    NEVER,
    Promise.resolve(undefined),
  ];
  const { connection, told } = watched(() => answers.shift() ?? NEVER);
  connection.doubt();
  await vi.advanceTimersByTimeAsync(2000);
  expect(told).toEqual([GONE, undefined]);
  fail(GONE);
  await vi.advanceTimersByTimeAsync(0);
  expect(connection.outage()).toBeUndefined();
});

test('[V6] an outage that changes its reason is announced again', async () => {
  const reasons: Outage[] = [GONE, { kind: 'proxy', status: 502 }, { kind: 'proxy', status: 502 }];
  const { connection, told } = watched(async () => reasons.shift());
  connection.doubt();
  await vi.advanceTimersByTimeAsync(5000);
  expect(told).toEqual([GONE, { kind: 'proxy', status: 502 }, undefined]);
});
