import type { JobStore } from '../../jobs/jobStore.ts';
import { integer, row, rows, text } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { ACTIVE, WORKED, jobScripts, jobTable, journalTable, messageTable } from './jobTables.ts';

export function createJobStore(dependencies: TableDependencies): JobStore {
  const { engine, clock } = dependencies;
  const { forUpdate, skipLocked, list } = engine.dialect;
  const scripts = jobScripts(engine.dialect);
  const unclaimed = `select id from job where ${WORKED} and lease_until <= $1 and kind in ${list('$2', 'text')}
    order by lease_until, started_at limit 1`;

  return {
    addJob: (by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly', lock: 'exclusive' }, function* (raise) {
        const active = yield* rows(`${jobTable.select} where ${ACTIVE}`);
        const decision = decide(active.map(jobTable.read));
        yield* scripts.add(decision.change, {});
        yield* raise('jobs');
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    async jobs(limit) {
      return (await engine.query(`${jobTable.select} order by started_at desc limit ${limit}`)).map(jobTable.read);
    },

    async job(id) {
      const [found] = await engine.query(`${jobTable.select} where id = $1`, id);
      return found === undefined ? undefined : jobTable.read(found);
    },

    async messages(id, after) {
      const found = await engine.query(
        `${messageTable.select} where job_id = $1 and number > $2 order by number`,
        id,
        after,
      );
      return found.map((one) => {
        const { job: _, ...message } = messageTable.read(one);
        return message;
      });
    },

    async journal(id) {
      const found = await engine.query(`${journalTable.select} where job_id = $1 order by number`, id);
      return found.map((one) => journalTable.read(one));
    },

    cancelJob: (id, by, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        const found = yield* row(`${jobTable.select} where id = $1${forUpdate}`, id);
        const decision = decide(found === undefined ? undefined : jobTable.read(found));
        if (decision.change === 'none') return;
        yield* rows('update job set is_cancelled = 1 where id = $1', id);
        yield* raise('jobs');
        yield* recordDecision(by, clock.now(), decision);
      }),

    async claimJob(owner, kinds, now, leaseUntil) {
      const known = JSON.stringify(kinds);
      // Look first, so that an idle server writes nothing.
      if ((await engine.query(unclaimed, now, known)).length === 0) return undefined;
      return transaction(dependencies, { closedWhen: 'never' }, function* () {
        const found = yield* row(unclaimed + skipLocked, now, known);
        if (found === undefined) return undefined;
        const taken = yield* row(
          // Higher than the fence of any other job, so that a deployment need not know which job a fence belongs to.
          `update job set owner = $2, lease_until = $3, fence = 1 + (select max(fence) from job)
           where id = $1 returning ${jobTable.list()}, fence`,
          text(found, 'id'),
          owner,
          leaseUntil,
        );
        if (taken === undefined) return undefined;
        const job = jobTable.read(taken);
        return { job, lease: { job: job.id, fence: integer(taken, 'fence') } };
      });
    },

    renew: ({ job, fence }, leaseUntil) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const found = yield* row(
          `update job set lease_until = $3 where id = $1 and fence = $2 and ${WORKED} returning id`,
          job,
          fence,
          leaseUntil,
        );
        return found === undefined ? 'lost' : 'renewed';
      }),

    async controlRequests(id) {
      const [found] = await engine.query('select is_pausing, is_cancelled from job where id = $1', id);
      return {
        isPausing: found !== undefined && integer(found, 'is_pausing') === 1,
        isCancelled: found !== undefined && integer(found, 'is_cancelled') === 1,
      };
    },

    append: (lease, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, (raise) => scripts.advance(lease, decide, clock.now(), raise)),

    async releaseJobs() {
      await transaction(dependencies, { closedWhen: 'never' }, () =>
        rows(`update job set lease_until = 0 where ${WORKED} and lease_until > 0`),
      );
    },
  };
}
