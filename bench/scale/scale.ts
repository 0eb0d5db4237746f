// `npm run bench -- scale [replicas] [webhooks]`: how the cost of a delivery and its latency grow with the number of replicas on
// one PostgreSQL, and with the number of webhooks. All processes share the machine, so CPU time is the figure, not throughput.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import { openFixtures } from '../webhooks/fixtures.ts';
import { measureReplicas } from './replicas.ts';
import { measureWebhooks } from './webhooks.ts';

const parts = chosenParts('scale', ['replicas', 'webhooks'] as const);

await benchmark('scale', async () => {
  const fixtures = openFixtures();
  const measures = { replicas: () => measureReplicas(fixtures), webhooks: () => measureWebhooks(fixtures) };
  const result = await measureParts(parts, measures, 'always');
  await fixtures.end();
  return result;
});
