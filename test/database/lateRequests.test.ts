// The pair in many orders of delayed, repeated or lost requests, on a model of the servers. The files beside it use real ones.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { playScenario } from '../support/database/model/scenario.ts';
import { IS_SOAK } from '../support/run/limits.ts';

const ORDERS = IS_SOAK ? 200_000 : 2000;

test(`[STO12] in ${ORDERS} orders of late, repeated and lost requests, never do two servers accept writes, and no write is lost`, async () => {
  const orders = new Set<string>();
  const problems: string[] = [];
  for (let seed = 1; orders.size < ORDERS && problems.length === 0; seed += 1) {
    const { trace, lateArrivals, problem } = await playScenario(seed);
    if (problem !== undefined) problems.push(`seed ${seed}: ${problem}\n${trace.split('\n').slice(-60).join('\n')}`);
    if (lateArrivals > 0) orders.add(createHash('sha256').update(trace).digest('base64'));
  }
  expect(problems).toEqual([]);
  expect(orders.size).toBe(ORDERS);
});
