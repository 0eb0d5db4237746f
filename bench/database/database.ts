// `npm run bench -- database`: how long a client cannot write while a pair of PostgreSQL servers is switched over.
import { memoryDocuments } from '../../test/support/database/memoryDocuments.ts';
import { startPair } from '../../test/support/database/pair.ts';
import { openPair, switchOver } from '../../test/support/database/switchOver.ts';
import type { Acknowledged } from '../../test/support/database/writer.ts';
import { startWriter } from '../../test/support/database/writer.ts';
import { until } from '../../test/support/run/until.ts';
import type { PartResult } from '../harness/benchmark.ts';
import { benchmark } from '../harness/benchmark.ts';
import { progress, say } from '../harness/measure/report.ts';
import { PROJECT } from '../harness/processes/workspace.ts';
import { median, worst } from '../harness/measure/statistics.ts';

const SWITCH_OVERS = 20;
const WRITES_BETWEEN = 50;
const MEDIAN_AT_MOST_MS = 1500;

/** The time from the last write that the former primary confirmed to the first one that the new primary confirmed. */
function outages(writes: readonly Acknowledged[]): readonly number[] {
  return writes.flatMap(({ server, at }, n) => {
    const before = writes[n - 1];
    return before === undefined || before.server === server ? [] : [at - before.at];
  });
}

async function measure(): Promise<PartResult> {
  const pair = await startPair({ isDurable: true, project: PROJECT });
  try {
    const database = openPair(pair, memoryDocuments());
    const writer = startWriter(pair);
    for (let n = 1; n <= SWITCH_OVERS; n += 1) {
      const before = writer.acknowledged.length;
      await until('the client writes', () => writer.acknowledged.length > before + WRITES_BETWEEN);
      const [primary, standby] = n % 2 === 1 ? (['a', 'b'] as const) : (['b', 'a'] as const);
      progress(`switch-over ${n} of ${SWITCH_OVERS} …`);
      await switchOver(database, { primary, standby, job: String(n) }, n);
    }
    const after = writer.acknowledged.length;
    await until('the client writes again', () => writer.acknowledged.length > after);
    const found = outages(await writer.stop());
    if (found.length !== SWITCH_OVERS) throw new Error(`the writes changed the server ${found.length} times`);
    return {
      bars: [{ name: 'median time without writes', measured: median(found), atMost: MEDIAN_AT_MOST_MS, unit: 'ms' }],
      print: () => say(`time without writes: median ${median(found)} ms, longest ${worst(found)} ms`),
    };
  } finally {
    await pair.stop();
  }
}

await benchmark('database', async () => {
  const result = await measure();
  result.print();
  return result;
});
