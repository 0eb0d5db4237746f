// The part `replicas`: one, two and four replicas on one PostgreSQL.
import type { PartResult } from '../harness/benchmark.ts';
import { progress } from '../harness/measure/report.ts';
import type { Fixtures } from '../webhooks/fixtures.ts';
import { startReceivers } from '../webhooks/receivers.ts';
import type { Figures } from './figures.ts';
import { growth, measureRunning, printFigures, total } from './figures.ts';

const WEBHOOKS = 20;
const REPLICAS = [1, 2, 4];

export async function measureReplicas(fixtures: Fixtures): Promise<PartResult> {
  const receivers = await startReceivers(WEBHOOKS);
  const measured = new Map<number, Figures>();
  for (const replicas of REPLICAS) {
    progress(`${replicas} of at most ${Math.max(...REPLICAS)} replicas …`);
    measured.set(
      replicas,
      await measureRunning(fixtures, receivers, { name: `replicas_${replicas}`, replicas, webhooks: WEBHOOKS }),
    );
  }
  await receivers.end();
  return {
    bars: [
      {
        name: 'backlog, four replicas',
        measured: growth(measured, ({ drain }) => total(drain)),
        atMost: 1.5,
        unit: 'x',
      },
      { name: '400/s, four replicas', measured: growth(measured, ({ steady }) => total(steady)), atMost: 2, unit: 'x' },
    ],
    print: () => printFigures('replicas', measured),
  };
}
