// The part `webhooks`: twenty, a thousand and ten thousand webhooks, on one replica with PostgreSQL.
import type { PartResult } from '../harness/benchmark.ts';
import { progress } from '../harness/measure/report.ts';
import type { Fixtures } from '../webhooks/fixtures.ts';
import { startReceivers } from '../webhooks/receivers.ts';
import type { Figures } from './figures.ts';
import { growth, measureRunning, printFigures, total } from './figures.ts';

const RECEIVERS = 20;
const WEBHOOKS = [20, 1000, 10_000];

export async function measureWebhooks(fixtures: Fixtures): Promise<PartResult> {
  const receivers = await startReceivers(RECEIVERS);
  const measured = new Map<number, Figures>();
  for (const webhooks of WEBHOOKS) {
    progress(`${webhooks} of at most ${Math.max(...WEBHOOKS)} webhooks …`);
    measured.set(
      webhooks,
      await measureRunning(fixtures, receivers, { name: `webhooks_${webhooks}`, replicas: 1, webhooks }),
    );
  }
  await receivers.end();
  return {
    bars: [
      {
        name: 'backlog, 10,000 webhooks',
        measured: growth(measured, ({ drain }) => total(drain)),
        atMost: 2,
        unit: 'x',
      },
      {
        name: '400/s, 10,000 webhooks',
        measured: growth(measured, ({ steady }) => total(steady)),
        atMost: 1.5,
        unit: 'x',
      },
    ],
    print: () => printFigures('webhooks', measured),
  };
}
