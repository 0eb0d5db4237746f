// `npm run bench -- webhooks [drain] [latency] [million] [isolation] [share]`: what a delivery costs, how soon it arrives, how a
// large backlog behaves, whether a receiver that hangs delays the others, and whether publishers do.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import type { StoreName } from '../harness/processes/installations.ts';
import { measureDrain } from './drain.ts';
import { openFixtures } from './fixtures.ts';
import { measureIsolation } from './isolation.ts';
import { measureLatency } from './latency.ts';
import { measureMillion } from './million.ts';
import { measureShare } from './share.ts';

const parts = chosenParts('webhooks', ['drain', 'latency', 'million', 'isolation', 'share'] as const);

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
    share: () => measureShare(fixtures),
  };
  const result = await measureParts(parts, measures, 'always');
  await fixtures.end();
  return result;
});
