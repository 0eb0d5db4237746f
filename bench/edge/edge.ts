// `npm run bench -- edge`: what Steward's HTTP edge costs in CPU time, compared with bare node:http servers that answer
// the same bytes; how fast it starts on an existing store; how much memory it needs.
import { join } from 'node:path';
import type { Result } from '../harness/benchmark.ts';
import { benchmark } from '../harness/benchmark.ts';
import { residentMb } from '../harness/measure/processUsage.ts';
import { costCells, costRatio, progress, row, say } from '../harness/measure/report.ts';
import type { LoadCase } from '../harness/measure/serverCost.ts';
import { loadCase, measureRounds } from '../harness/measure/serverCost.ts';
import { best, unsteadyRounds, worst } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { startSteward } from '../harness/processes/steward.ts';
import { workFolder } from '../harness/processes/workspace.ts';
import { startFormServer } from './formServer.ts';

const ROUNDS = 5;
const SECONDS = 3;
const DESCRIPTION = 'Answers questions about the parcels of the county';

/** The first start creates the store, the others find it. The last Steward is left running. */
async function startWarm(): Promise<{ steward: Steward; readyMs: number; mb: number }> {
  progress('starting six times …');
  let steward = await startSteward(workFolder());
  const readyMs: number[] = [];
  const mb: number[] = [];
  for (let start = 0; start < ROUNDS; start += 1) {
    await steward.end();
    steward = await startSteward(workFolder());
    mb.push(steward.readyMb);
    readyMs.push(steward.readyMs);
  }
  return { steward, readyMs: best(readyMs), mb: worst(mb) };
}

/** Every bare server answers the same bytes as Steward. */
async function prepareCases(steward: Steward) {
  const { url, token } = steward;
  await steward.post('/services/createService', { serviceName: 'Bench', type: 'Query' });
  const description = { description: DESCRIPTION };
  const [modePath, editPath] = ['/mode', '/services/Bench.Query/edit'];
  const read = { url: `${url}/admin${modePath}`, form: { token, f: 'json' } };
  const edit = { url: `${url}/admin${editPath}`, form: { ...read.form, ...description } };
  const bare = await startFormServer(await steward.post(modePath));
  const durable = await startFormServer(await steward.post(editPath, description), join(workFolder(), 'bare.db'));
  return {
    bare: loadCase('bare node:http', bare, { ...read, url: bare.url }),
    health: loadCase('GET /healthz', steward, { url: `${url}/healthz` }),
    read: loadCase('POST mode, reads', steward, read),
    durable: loadCase('bare with SQLite, full', durable, { ...edit, url: durable.url }),
    edit: loadCase('POST edit, changes', steward, edit),
  };
}

function printCases(cases: readonly LoadCase[], bare: LoadCase): void {
  say(`\nCPU time of the server process, best of ${ROUNDS} rounds of ${SECONDS} s\n`);
  say(row('part', 'µs/request', 'x bare', 'worst µs', 'requests/s'));
  for (const one of cases) say(row(one.name, ...costCells(one, bare)));
}

async function run(): Promise<Result> {
  const { steward, readyMs, mb } = await startWarm();
  const cases = await prepareCases(steward);
  const { bare, read, durable, edit } = cases;
  await measureRounds(Object.values(cases), { rounds: ROUNDS, seconds: SECONDS });
  printCases(Object.values(cases), bare);
  say(`\nmemory after the load: ${residentMb(steward.pid).toFixed(0)} MB`);
  await Promise.all([steward, bare.server, durable.server].map((server) => server.end()));
  return {
    bars: [
      { name: 'POST mode against bare', measured: costRatio(read, bare), atMost: 2, unit: 'x' },
      { name: 'POST edit against SQLite', measured: costRatio(edit, durable), atMost: 2, unit: 'x' },
      { name: 'warm start', measured: readyMs, atMost: 500, unit: 'ms' },
      { name: 'memory after a warm start', measured: mb, atMost: 100, unit: 'MB' },
    ],
    noise: unsteadyRounds('the bare server', bare.microseconds),
  };
}

await benchmark('edge', run);
