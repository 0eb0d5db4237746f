// Replicas that cannot prove that they run, although they do: their claims are protected by their leases.
import { test } from 'vitest';
import { PRESENCE_LOCKS } from '../../src/store/engine/dialect.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { randomPause, until } from '../support/run/until.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startDatabaseProxy } from '../support/store/databaseProxy.ts';
import { queryPostgres } from '../support/store/postgres.ts';
import { postgresKind } from '../support/store/stores.ts';
import { expectUnharmed, startDisturbedRun } from '../support/webhooks/disturbedRun.ts';

/** Longer than it takes to release the claims of a replica that has ended, so that a wrong release repeats a request. */
const SLOWEST_ANSWER_MS = 6000;
const POLICY = { attempts: 2, timeOutS: 20, waitS: 1 };
const LOSSES = IS_SOAK ? 50 : 2;
const STORM_MS = IS_SOAK ? 600_000 : 15_000;
const FEWEST_ENDED = 20;
const WARNING = 'the other replicas cannot see that this one runs';

async function saysItIsPresent(replica: StewardProcess): Promise<boolean> {
  return /^steward_present 1$/m.test((await replica.get('/metrics')).text);
}

/** Ends the sessions that listen, or do nothing but prove that a replica runs. Those of its pool live on. */
function endPresence(url: string, owner: string): Promise<unknown> {
  return queryPostgres(
    url,
    `select pg_terminate_backend(activity.pid) from pg_stat_activity as activity join pg_locks as lock on lock.pid = activity.pid
      where locktype = 'advisory' and classid = ${PRESENCE_LOCKS} and objid = ${owner} and datname = current_database()
        and (query like 'listen %' or query like 'select pg_advisory_lock_shared%')`,
  );
}

for (const [what, refused] of [
  ['listening connection is', 'listen steward_revision'],
  ['connections that prove its presence are', 'pg_advisory_lock_shared'],
] as const)
  test
    .skipIf(!postgresKind.isHere)
    .concurrent(
      `[STO8] [WHK7] [WHK15] a replica ${postgresKind.title} whose ${what} refused ${LOSSES} times goes on, and nothing is sent twice`,
      async (context) => {
        const { expect } = context;
        const made = await postgresKind.place();
        context.onTestFinished(() => made.remove());
        let isRefused = false;
        let owner = '';
        const proxy = await startDatabaseProxy(made.place.at, (sent) => {
          owner = /pg_advisory_lock_shared\(\d+, (\d+)\)/.exec(sent.toString('latin1'))?.[1] ?? owner;
          return isRefused && sent.includes(refused) ? 'cut' : 'pass';
        });
        context.onTestFinished(() => proxy.close());
        const run = await startDisturbedRun(context, {
          place: made.place,
          policy: POLICY,
          replicas: [{ storeUrl: proxy.url }, {}],
          slowestAnswerMs: SLOWEST_ANSWER_MS,
        });
        const [lonely] = run.replicas;
        if (lonely === undefined) throw new Error('No replica runs.');
        const canStandIn = refused.startsWith('listen');
        for (let loss = 0; loss < LOSSES; loss += 1) {
          await run.goOn(40);
          isRefused = true;
          await endPresence(made.place.at, owner);
          if (!canStandIn) {
            await until('the replica says so', async () => !(await saysItIsPresent(lonely)));
            expect((await lonely.get('/readyz')).body).toMatchObject({ notes: [expect.any(String)] });
            await until('it is logged', () => lonely.log().split(WARNING).length === loss + 2);
          }
          // Longer than the other replica takes to look twice and send again.
          await run.goOn(80);
          await until('it says whether it is present', async () => (await saysItIsPresent(lonely)) === canStandIn);
          isRefused = false;
          await until('it is present again', () => saysItIsPresent(lonely));
        }
        await until('it is ready', async () => (await lonely.get('/readyz')).text === '{"status":"ready"}');
        await run.finish();
        await expectUnharmed(run);
      },
    );

test
  .skipIf(!postgresKind.isHere)
  .concurrent(
    `[STO8] [WHK7] [WHK15] a storm of terminated sessions of two replicas ${postgresKind.title} loses nothing and repeats nothing`,
    async (context) => {
      const { expect } = context;
      const made = await postgresKind.place();
      context.onTestFinished(() => made.remove());
      const run = await startDisturbedRun(context, {
        place: made.place,
        policy: POLICY,
        replicas: [{}, {}],
        slowestAnswerMs: SLOWEST_ANSWER_MS,
      });
      await run.goOn(40);
      const endsAt = Date.now() + STORM_MS;
      let ended = 0;
      while (Date.now() < endsAt || ended <= FEWEST_ENDED) {
        await randomPause(100);
        const found = await queryPostgres(
          made.place.at,
          `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1) as one`,
        );
        ended += found.length;
      }
      expect(ended).toBeGreaterThan(FEWEST_ENDED);
      await run.goOn(40);
      await run.finish();
      for (const replica of run.replicas) await until('it is present again', () => saysItIsPresent(replica));
      await expectUnharmed(run);
    },
  );
