// `npm run bench -- scale [replicas] [webhooks]`: how the cost of a delivery and its latency grow with the number of replicas on
// one PostgreSQL, and with the number of webhooks. All processes share the machine, so CPU time is the figure, not throughput.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import { openFixtures } from '../webhooks/fixtures.ts';
import { measureSeries } from './figures.ts';

const REPLICAS = [1, 2, 4].map((count) => ({ count, replicas: count, webhooks: 20 }));
const WEBHOOKS = [20, 1000, 10_000].map((count) => ({ count, replicas: 1, webhooks: count }));

const parts = chosenParts('scale', ['replicas', 'webhooks'] as const);

await benchmark('scale', async () => {
  const fixtures = openFixtures();
  const measures = {
    replicas: () => measureSeries(fixtures, 'replicas', REPLICAS, { backlog: 1.5, steady: 2 }),
    webhooks: () => measureSeries(fixtures, 'webhooks', WEBHOOKS, { backlog: 2, steady: 1.5 }),
  };
  const result = await measureParts(parts, measures, 'always');
  await fixtures.end();
  return result;
});
