// Freezes of every length around the time-out of an attempt and the lease of a claim, under load.
import type { TestContext } from 'vitest';
import { test } from 'vitest';
import { IS_SOAK } from '../support/run/limits.ts';
import type { StoreKind } from '../support/store/stores.ts';
import { postgresKind, sqliteKind } from '../support/store/stores.ts';
import { repeatsIn } from '../support/webhooks/deliveryChecks.ts';
import type { Disturbance, DisturbedRun } from '../support/webhooks/disturbedRun.ts';
import { expectUnharmed, freeze, startDisturbedRun } from '../support/webhooks/disturbedRun.ts';

const ROUNDS = IS_SOAK ? 30 : 1;
/** Long enough that a receiver on a busy machine answers in time. */
const POLICY = { attempts: 2, timeOutS: 8, waitS: 1 };
/** A lease exceeds the time-out by ten seconds. */
const LEASE_S = POLICY.timeOutS + 10;
const SLOWEST_ANSWER_MS = 1500;
const LENGTHS_S = [POLICY.timeOutS, LEASE_S].flatMap((limit) => [limit - 1, limit, limit + 1]).concat(2 * LEASE_S);
/** So that each freeze finds requests under way. */
const BETWEEN = 60;

async function start(context: TestContext, kind: StoreKind, replicas: number): Promise<DisturbedRun> {
  const made = await kind.place();
  context.onTestFinished(() => made.remove());
  return startDisturbedRun(context, {
    place: made.place,
    policy: POLICY,
    replicas: Array.from({ length: replicas }, () => ({})),
    slowestAnswerMs: SLOWEST_ANSWER_MS,
    clients: 6,
  });
}

/** Freezes some of the replicas once for each length. */
async function freezeAll(run: DisturbedRun, frozen: DisturbedRun['replicas']): Promise<readonly Disturbance[]> {
  const others = run.replicas.filter((one) => !frozen.includes(one));
  const disturbances: Disturbance[] = [];
  for (const seconds of Array.from({ length: ROUNDS }, () => LENGTHS_S).flat()) {
    await run.goOn(BETWEEN);
    if (others.length > 0) run.sendTo(others);
    disturbances.push(await freeze(run, frozen, seconds * 1000));
    run.sendTo(run.replicas);
  }
  await run.goOn(BETWEEN);
  await run.finish();
  return disturbances;
}

const TITLE = `[WHK7] [WHK15] [WHK29] freezes of ${LENGTHS_S.join(', ')} s`;

test.concurrent(`${TITLE} of a process on SQLite charge no receiver and repeat only what was under way`, async (context) => {
  const { expect } = context;
  const run = await start(context, sqliteKind, 1);
  const disturbances = await freezeAll(run, run.replicas);
  expect(disturbances).toHaveLength(ROUNDS * LENGTHS_S.length);
  await expectUnharmed(run, disturbances);
});

for (const [replicas, title] of [
  [1, 'of one replica'],
  [2, 'of both replicas'],
] as const)
  test
    .skipIf(!postgresKind.isHere)
    .concurrent(
      `${TITLE} ${title} ${postgresKind.title} charge no receiver and repeat only what was under way`,
      async (context) => {
        const { expect } = context;
        const run = await start(context, postgresKind, replicas);
        const disturbances = await freezeAll(run, run.replicas);
        expect(disturbances).toHaveLength(ROUNDS * LENGTHS_S.length);
        await expectUnharmed(run, disturbances);
      },
    );

test
  .skipIf(!postgresKind.isHere)
  .concurrent(
    `${TITLE} [STO8] of one of two replicas ${postgresKind.title} let the other take over what was under way when its lease has ended`,
    async (context) => {
      const { expect } = context;
      const run = await start(context, postgresKind, 2);
      const disturbances = await freezeAll(run, run.replicas.slice(1));
      await expectUnharmed(run, disturbances);
      const repeats = repeatsIn(run.receiver.arrivals);
      const early = repeats.filter(({ key, before, again }) =>
        disturbances.some(
          ({ from, to, claims }) =>
            before.at <= to &&
            again.at >= from &&
            again.at <= to &&
            claims.some((claim) => claim.key === key && again.at < claim.leaseUntil),
        ),
      );
      expect(early).toEqual([]);
      // The last freeze is longer than any lease.
      const last = disturbances.at(-1);
      expect(repeats.filter(({ again }) => last !== undefined && again.at >= last.from)).not.toEqual([]);
    },
  );
