// One of two replicas has a clock that is ten minutes off. Leases, due times and windows use the time of the database.
import { join } from 'node:path';
import { test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { until } from '../support/run/until.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { postgresKind } from '../support/store/stores.ts';
import { expectUnharmed, kill, startDisturbedRun } from '../support/webhooks/disturbedRun.ts';
import { FAILING_PATH, show } from '../support/webhooks/webhookSetup.ts';

const POLICY = { attempts: 3, timeOutS: 20, waitS: 2 };
const SLOWEST_ANSWER_MS = 4000;
const OFF_S = 600;
const MINUTE_MS = 60_000;
const REQUESTS = 300;

function shifted(ms: number): readonly [string, ...string[]] {
  const preload = join(PROJECT, 'test', 'support', 'server', 'shiftedClock.mjs');
  const program = join(PROJECT, 'dist', 'steward.js');
  return ['env', `STEWARD_TEST_CLOCK_MS=${ms}`, process.execPath, '--import', preload, program];
}

async function skewOf(replica: StewardProcess): Promise<number> {
  const { text } = await replica.get('/metrics');
  return Number(/^steward_clock_skew_seconds (\S+)$/m.exec(text)?.[1]);
}

for (const [title, sign] of [
  ['ahead', 1],
  ['behind', -1],
] as const)
  test
    .skipIf(!postgresKind.isHere)
    .concurrent(
      `[STO9] [WHK7] [WHK15] one of two replicas ${postgresKind.title} whose clock is ten minutes ${title} repeats nothing and delays nothing`,
      async (context) => {
        const { expect } = context;
        const made = await postgresKind.place();
        context.onTestFinished(() => made.remove());
        const run = await startDisturbedRun(context, {
          place: made.place,
          policy: POLICY,
          replicas: [{}, { command: shifted(sign * OFF_S * 1000) }],
          slowestAnswerMs: SLOWEST_ANSWER_MS,
        });
        const [right, wrong] = run.replicas;
        if (right === undefined || wrong === undefined) throw new Error('Two replicas must run.');
        const warning = `"seconds":${sign * OFF_S},"msg":"the clock of this machine differs from that of the database`;
        await until('the difference is logged', () => wrong.log().includes(warning));
        expect(Math.abs((await skewOf(wrong)) + sign * OFF_S)).toBeLessThan(10);
        expect(Math.abs(await skewOf(right))).toBeLessThan(10);
        expect(right.log()).not.toContain('the clock of this machine differs');

        await run.goOn(REQUESTS);
        const windowNow = async () => (await show(right, run.scene, FAILING_PATH)).failureWindow;
        await until('a delivery has failed', async () => (await windowNow()) !== null);
        const window = await windowNow();
        const startedAt = new Date(window?.startedAt ?? 0).getTime();
        const firstFailure = run.receiver.arrivals.find(({ attempt }) => attempt === POLICY.attempts)?.at ?? 0;
        expect(Math.abs(startedAt - firstFailure)).toBeLessThan(MINUTE_MS);

        // What it has scheduled is due for the other one at the same time.
        run.sendTo([right]);
        const killed = await kill(run, wrong);
        await run.goOn(REQUESTS / 3);
        await run.finish();
        await expectUnharmed(run, [killed]);
        const last = new Map<string, number>();
        const waits: number[] = [];
        for (const { path, id, attempt, at } of run.receiver.arrivals) {
          const before = last.get(`${path} ${id} ${attempt - 1}`);
          if (before !== undefined) waits.push(at - before);
          last.set(`${path} ${id} ${attempt}`, at);
        }
        expect(waits.length).toBeGreaterThan(10);
        expect(waits.filter((ms) => ms < POLICY.waitS * 1000)).toEqual([]);
        expect(waits.filter((ms) => ms > SLOWEST_ANSWER_MS + POLICY.waitS * 1000 + MINUTE_MS)).toEqual([]);
      },
    );
