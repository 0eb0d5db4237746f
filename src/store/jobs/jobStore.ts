import type { JobStore } from '../../jobs/jobStore.ts';
import { codec, integer } from '../engine/codec.ts';
import { row, rows } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { ACTIVE, WORKED, jobScripts, jobTable, journalTable, messageTable } from './jobTables.ts';

const jobIds = jobTable.pick('id');
const claimedJobs = codec({ job: jobTable, fence: integer('fence') });
const updateCursor = jobTable.updater(['id'], ['cursor']);
const requests = jobTable.pick('isPausing', 'isCancelled');
const JOB = `${jobTable.select} where id = $1`;

export function createJobStore(dependencies: TableDependencies): JobStore {
  const { engine, clock } = dependencies;
  const { forUpdate, skipLocked, isIn } = engine.dialect;
  const scripts = jobScripts(dependencies);
  const unclaimed = `${jobIds.select} where ${WORKED} and lease_until <= $1 and kind ${isIn('$2', 'text')}
    order by lease_until, started_at limit 1`;

  return {
    addJob: (by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly', lock: 'exclusive' }, function* (raise) {
        const decision = decide(yield* jobTable.all(`${jobTable.select} where ${ACTIVE}`));
        yield* scripts.add(decision.change);
        yield* raise('jobs');
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    jobs: (limit) => engine.read(jobTable.all(`${jobTable.select} order by started_at desc limit ${limit}`)),

    job: (id) => engine.read(jobTable.first(JOB, id)),

    messages: (id, after) =>
      engine.read(
        messageTable.all(`${messageTable.select} where job_id = $1 and number > $2 order by number`, id, after),
      ),

    journal: (id) => engine.read(journalTable.all(`${journalTable.select} where job_id = $1 order by number`, id)),

    cancelJob: (id, by, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        const decision = decide(yield* jobTable.first(JOB + forUpdate, id));
        if (decision.change === 'none') return;
        yield* rows('update job set is_cancelled = 1 where id = $1', id);
        yield* raise('jobs');
        yield* recordDecision(by, clock.now(), decision);
      }),

    async claimJob(owner, kinds, now, leaseUntil) {
      const known = JSON.stringify(kinds);
      // Look first, so that an idle server writes nothing.
      if ((await engine.read(row(unclaimed, now, known))) === undefined) return undefined;
      return transaction(dependencies, { closedWhen: 'never' }, function* () {
        const found = yield* jobIds.first(unclaimed + skipLocked, now, known);
        if (found === undefined) return undefined;
        const { job, fence } = yield* claimedJobs.only(
          // Higher than the fence of any other job, so that a deployment need not know which job a fence belongs to.
          `update job set owner = $2, lease_until = $3, fence = 1 + (select max(fence) from job)
           where id = $1 returning ${claimedJobs.list()}`,
          found.id,
          owner,
          leaseUntil,
        );
        return { job, lease: { job: job.id, fence } };
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
      const found = await engine.read(requests.first(`${requests.select} where id = $1`, id));
      return found ?? { isPausing: false, isCancelled: false };
    },

    append: (lease, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, (raise) => scripts.advance(lease, decide, raise)),

    changeCursor: (id, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        const found = yield* jobTable.first(JOB + forUpdate, id);
        if (found === undefined) return;
        yield* updateCursor({ id, cursor: decide(found) });
        yield* raise('jobs');
      }),

    async releaseJobs() {
      await transaction(dependencies, { closedWhen: 'never' }, () =>
        rows(`update job set lease_until = 0 where ${WORKED} and lease_until > 0`),
      );
    },
  };
}
