// `npm run bench -- peers [drain] [latency] [kill]`: Steward beside job libraries that sign, post and log each attempt, in one run and
// in turns. The libraries need a newer Node than Steward.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import { progress } from '../harness/measure/report.ts';
import { openFixtures } from '../webhooks/fixtures.ts';
import { contenders } from './contenders.ts';
import { measureDrain } from './drain.ts';
import { measureKill } from './kill.ts';
import { measureLatency } from './latency.ts';

const NEEDED = 22;
const parts = chosenParts('peers', ['drain', 'latency', 'kill'] as const);

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  progress(
    `pg-boss 12 and graphile-worker 0.18 need Node 22.18 or newer; this is ${process.versions.node}. Run it with a newer Node.`,
  );
  process.exit(2);
}

await benchmark('peers', async () => {
  const fixtures = openFixtures();
  const all = contenders(fixtures);
  const measures = {
    drain: () => measureDrain(fixtures, all),
    latency: () => measureLatency(all),
    kill: () => measureKill(all),
  };
  const result = await measureParts(parts, measures, 'always');
  await fixtures.end();
  return result;
});
