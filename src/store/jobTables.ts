import type { Job, JobState, JobStore, Lease, Progress } from '../jobs/jobStore.ts';
import type { ChangeNeeds } from './change.ts';
import { change, tell } from './change.ts';
import type { Row, Script } from './script.ts';
import { document, integer, optionalInteger, row, rows, text, toDocument } from './script.ts';

const COLUMNS =
  'id, kind, state, task, cursor, done, total, is_cancelled, started_by, started_at, ended_at, owner, lease_until, fence';

function jobOf(found: Row): Job {
  return {
    id: text(found, 'id'),
    kind: text(found, 'kind'),
    state: text(found, 'state') as JobState,
    task: document(found, 'task'),
    cursor: document(found, 'cursor'),
    done: integer(found, 'done'),
    total: integer(found, 'total'),
    isCancelled: integer(found, 'is_cancelled') === 1,
    startedBy: text(found, 'started_by'),
    started: integer(found, 'started_at'),
    ended: optionalInteger(found, 'ended_at'),
  };
}

function* note(job: string, at: number, words: string): Script<void> {
  yield* rows(
    `insert into job_entry (job_id, number, at, text)
     values ($1, (select coalesce(max(number), 0) + 1 from job_entry where job_id = $1), $2, $3)`,
    job,
    at,
    words,
  );
}

/** In the transaction of what a step did; false when the lease has passed to another, and then nothing may be written. */
export function* advance({ job, fence }: Lease, progress: Progress, now: number): Script<boolean> {
  const { cursor, done, state, text: words } = progress;
  const written = yield* row(
    `update job set cursor = coalesce($3, cursor), done = coalesce($4, done), state = coalesce($5, state),
       ended_at = $6 where id = $1 and fence = $2 and state = 'running' returning id`,
    job,
    fence,
    toDocument(cursor),
    done ?? null,
    state ?? null,
    state === undefined ? null : now,
  );
  if (written === undefined) return false;
  if (words !== undefined) yield* note(job, now, words);
  return true;
}

export function jobTables(needs: ChangeNeeds): JobStore {
  const { engine, clock } = needs;
  const { each, forUpdate, skipLocked } = engine.dialect;

  return {
    addJob: (by, decide) =>
      change(needs, { closedWhen: 'readOnly', lock: 'exclusive' }, function* () {
        const running = yield* rows(`select ${COLUMNS} from job where state = 'running'`);
        const decision = decide(running.map(jobOf));
        const { id, kind, state, task, cursor, done, total, startedBy, started } = decision.change;
        yield* rows(
          `insert into job (id, kind, state, task, cursor, done, total, is_cancelled, started_by, started_at, lease_until, fence)
           values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, 0, 0)`,
          id,
          kind,
          state,
          toDocument(task),
          toDocument(cursor),
          done,
          total,
          startedBy,
          started,
        );
        yield* tell(by, clock.now(), decision);
        return decision.change;
      }),

    async jobs(limit) {
      return (await engine.query(`select ${COLUMNS} from job order by started_at desc limit ${limit}`)).map(jobOf);
    },

    async job(id) {
      const [found] = await engine.query(`select ${COLUMNS} from job where id = $1`, id);
      if (found === undefined) return undefined;
      const entries = await engine.query(
        'select number, at, text from job_entry where job_id = $1 order by number',
        id,
      );
      return {
        job: jobOf(found),
        entries: entries.map((one) => ({
          number: integer(one, 'number'),
          at: integer(one, 'at'),
          text: text(one, 'text'),
        })),
      };
    },

    cancelJob: (id, by, decide) =>
      change(needs, { closedWhen: 'never' }, function* () {
        const found = yield* row(`select ${COLUMNS} from job where id = $1${forUpdate}`, id);
        const decision = decide(found === undefined ? undefined : jobOf(found));
        if (decision.change === 'none') return;
        yield* rows('update job set is_cancelled = 1 where id = $1', id);
        yield* tell(by, clock.now(), decision);
      }),

    async claimJob(owner, kinds, now, leaseUntil) {
      const waiting = `select id from job where state = 'running' and lease_until <= $1
        and kind in (select value ->> 0 from ${each('$2')}) order by lease_until, started_at limit 1`;
      const known = JSON.stringify(kinds.map((kind) => [kind]));
      // Looked for first, so that an idle server writes nothing.
      if ((await engine.query(waiting, now, known)).length === 0) return undefined;
      return change(needs, { closedWhen: 'never' }, function* () {
        const found = yield* row(waiting + skipLocked, now, known);
        if (found === undefined) return undefined;
        const taken = yield* row(
          `update job set owner = $2, lease_until = $3, fence = fence + 1 where id = $1 returning ${COLUMNS}`,
          text(found, 'id'),
          owner,
          leaseUntil,
        );
        if (taken === undefined) return undefined;
        const job = jobOf(taken);
        return { job, lease: { job: job.id, fence: integer(taken, 'fence') } };
      });
    },

    renew: ({ job, fence }, leaseUntil) =>
      change(needs, { closedWhen: 'never' }, function* () {
        const found = yield* row(
          `update job set lease_until = $3 where id = $1 and fence = $2 and state = 'running' returning id`,
          job,
          fence,
          leaseUntil,
        );
        return found === undefined ? 'lost' : 'renewed';
      }),

    append: (lease, progress) =>
      change(needs, { closedWhen: 'never' }, function* () {
        return (yield* advance(lease, progress, clock.now())) ? 'written' : 'lost';
      }),
  };
}
