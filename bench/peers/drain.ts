// The part `drain`: a backlog, best of three rounds in turns.
import type { PartResult } from '../harness/benchmark.ts';
import { measureDrainedShare } from '../harness/measure/drainedShare.ts';
import { cpuMicroseconds } from '../harness/measure/processUsage.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { best, worst } from '../harness/measure/statistics.ts';
import type { Fixtures } from '../webhooks/fixtures.ts';
import type { Receivers } from '../webhooks/receivers.ts';
import { startReceivers } from '../webhooks/receivers.ts';
import type { Contender } from './contenders.ts';
import { GRAPHILE, stewardOverTls } from './contenders.ts';

const RECEIVERS = 20;
const ROUNDS = 3;
const TLS_CPU_AT_MOST = 1.35;

interface Drained {
  readonly perSecond: number;
  /** CPU time for each delivery, in µs. */
  readonly worker: number;
  readonly postgres: number;
}

async function drain(fixtures: Fixtures, contender: Contender, receivers: Receivers, run: string): Promise<Drained> {
  const start = await contender.prepare(run, receivers.origins, contender.backlog);
  await fixtures.vacuumDatabases();
  await receivers.reset();
  const { pid, end } = await start();
  const { perSecond, perDelivery } = await measureDrainedShare(receivers, contender.backlog, () => ({
    worker: cpuMicroseconds(pid),
    postgres: fixtures.postgresCpu(),
  }));
  await end();
  await fixtures.dropDatabases();
  return { perSecond, worker: perDelivery('worker'), postgres: perDelivery('postgres') };
}

type Results = ReadonlyMap<string, readonly Drained[]>;

function bestOf(results: Results, name: string): Drained {
  const rounds = results.get(name) ?? [];
  return {
    perSecond: worst(rounds.map(({ perSecond }) => perSecond)),
    worker: best(rounds.map(({ worker }) => worker)),
    postgres: best(rounds.map(({ postgres }) => postgres)),
  };
}

function print(results: Results, all: readonly Contender[]): void {
  say(`\nA backlog of deliveries to ${RECEIVERS} receivers, best of ${ROUNDS}\n`);
  say(row('', 'backlog', 'per second', 'worker µs', 'database µs'));
  for (const { name, backlog } of all) {
    const { perSecond, worker, postgres } = bestOf(results, name);
    say(row(name, ...[backlog, perSecond, worker, postgres].map((value) => value.toFixed(0))));
  }
}

const cpuOf = ({ worker, postgres }: Drained): number => worker + postgres;
const ratio = (name: string, measured: number, atMost: number) => ({ name, measured, atMost, unit: 'x' });

function barsOf(results: Results) {
  const onPostgres = bestOf(results, 'Steward on PostgreSQL');
  const onSqlite = bestOf(results, 'Steward on SQLite');
  const overTls = bestOf(results, 'Steward on PostgreSQL over TLS');
  const graphile = bestOf(results, GRAPHILE);
  return [
    ratio('graphile-worker faster, PostgreSQL', graphile.perSecond / onPostgres.perSecond, 1),
    ratio('graphile-worker faster, SQLite', graphile.perSecond / onSqlite.perSecond, 1 / 0.9),
    ratio('worker CPU, PostgreSQL', onPostgres.worker / graphile.worker, 1),
    ratio('database CPU', onPostgres.postgres / graphile.postgres, 1.2),
    ratio('CPU over TLS, worker and database', cpuOf(overTls) / cpuOf(onPostgres), TLS_CPU_AT_MOST),
  ];
}

export async function measureDrain(fixtures: Fixtures, plain: readonly Contender[]): Promise<PartResult> {
  const all = [...plain, stewardOverTls(fixtures)];
  const receivers = await startReceivers(RECEIVERS);
  const results = new Map<string, Drained[]>(all.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const contender of all) {
      progress(`drain, round ${round} of ${ROUNDS}, ${contender.name} …`);
      results.get(contender.name)?.push(await drain(fixtures, contender, receivers, `drain_${round}`));
    }
  await receivers.end();
  return { bars: barsOf(results), print: () => print(results, all) };
}
