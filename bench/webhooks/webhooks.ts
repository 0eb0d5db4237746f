// `npm run bench -- webhooks [drain] [latency] [million] [isolation]`: what a delivery costs, how soon it arrives, how a large
// backlog behaves, and whether a receiver that hangs delays the others.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import type { StoreName } from '../harness/processes/installations.ts';
import { measureDrain } from './drain.ts';
import { openFixtures } from './fixtures.ts';
import { measureIsolation } from './isolation.ts';
import { measureLatency } from './latency.ts';
import { measureMillion } from './million.ts';

const parts = chosenParts('webhooks', ['drain', 'latency', 'million', 'isolation'] as const);

await benchmark('webhooks', async () => {
  const fixtures = openFixtures();
  let topRates: ReadonlyMap<StoreName, number> = new Map();
  const measures = {
    async drain() {
      const drained = await measureDrain(fixtures);
      ({ topRates } = drained);
      return drained;
    },
    latency: () => measureLatency(fixtures, topRates),
    million: () => measureMillion(fixtures),
    isolation: () => measureIsolation(fixtures),
  };
  const result = await measureParts(parts, measures, 'always');
  await fixtures.end();
  return result;
});
