import type { Appended, Job, JobStore, Lease, Progress, Said, StepDone } from '../../jobs/jobStore.ts';
import type { JobState } from '../../model/jobState.ts';
import type { TableDependencies, RaiseRevision } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import type { Row, Script } from '../engine/script.ts';
import { document, integer, optionalInteger, row, rows, text, toDocument } from '../engine/script.ts';

export const JOB =
  'id, kind, state, task, cursor, phase, done, total, is_cancelled, is_pausing, started_by, started_at, ends_at, ended_at, fence';
const ACTIVE = `state in ('running', 'paused', 'undoing')`;
const WORKED_ON = `state in ('running', 'undoing')`;

export function jobOf(found: Row): Job {
  return {
    id: text(found, 'id'),
    kind: text(found, 'kind'),
    state: text(found, 'state') as JobState,
    task: document(found, 'task'),
    cursor: document(found, 'cursor'),
    phase: text(found, 'phase'),
    done: integer(found, 'done'),
    total: integer(found, 'total'),
    isCancelled: integer(found, 'is_cancelled') === 1,
    isPausing: integer(found, 'is_pausing') === 1,
    startedBy: text(found, 'started_by'),
    started: integer(found, 'started_at'),
    endsAt: optionalInteger(found, 'ends_at'),
    ended: optionalInteger(found, 'ended_at'),
  };
}

/** Time does not go back in a journal, whatever the clocks of its writers say. */
export function* say(job: string, at: number, said: readonly Said[]): Script<void> {
  if (said.length === 0) return;
  const last = yield* row('select max(number) as number, max(at) as at from job_entry where job_id = $1', job);
  let number = (last === undefined ? undefined : optionalInteger(last, 'number')) ?? 0;
  const when = Math.max(at, (last === undefined ? undefined : optionalInteger(last, 'at')) ?? 0);
  for (const { code, text: words, mark } of said) {
    const written = yield* row(
      `insert into job_entry (job_id, number, at, code, mark, text) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing returning number`,
      job,
      number + 1,
      when,
      code ?? null,
      mark ?? null,
      words,
    );
    if (written !== undefined) number += 1;
  }
}

export function* noteSteps(job: string, fence: number, at: number, steps: readonly StepDone[]): Script<void> {
  for (const { name, tookMs, result } of steps) {
    yield* rows(
      `insert into job_step (job_id, name, at, fence, took_ms, result) values ($1, $2, $3, $4, $5, $6)
       on conflict (job_id, name) do nothing`,
      job,
      name,
      at,
      fence,
      tookMs,
      toDocument(result),
    );
  }
}

/** In the transaction of what a step did; nothing may be written when the lease has passed to another. */
export function* advance(
  { job, fence }: Lease,
  progress: Progress,
  now: number,
  raise: RaiseRevision,
): Script<Appended> {
  const { cursor, phase, done, total, endsAt, state, onlyIf } = progress;
  const isEnd = state !== undefined && !['running', 'paused', 'undoing'].includes(state);
  const held = yield* row(
    `update job set cursor = coalesce($3, cursor), phase = coalesce($4, phase), done = coalesce($5, done),
       total = coalesce($6, total), ends_at = coalesce($7, ends_at), state = coalesce($8, state),
       ended_at = coalesce($9, ended_at), is_pausing = case when $8 is null then is_pausing else 0 end,
       lease_until = case when $8 = 'paused' then 0 else lease_until end
     where id = $1 and fence = $2 and ${WORKED_ON} 
       and ($10 = 0 or is_cancelled = 0) and ($11 = 0 or is_pausing = 1) returning id`,
    job,
    fence,
    toDocument(cursor),
    phase ?? null,
    done ?? null,
    total ?? null,
    endsAt ?? null,
    state ?? null,
    isEnd ? now : null,
    onlyIf === undefined ? 0 : 1,
    onlyIf === 'pausing' ? 1 : 0,
  );
  if (held === undefined) {
    if (onlyIf === undefined) return 'lost';
    const ours = yield* row(`select id from job where id = $1 and fence = $2 and ${WORKED_ON}`, job, fence);
    return ours === undefined ? 'lost' : 'unwanted';
  }
  yield* noteSteps(job, fence, now, progress.steps ?? []);
  yield* say(job, now, progress.say ?? []);
  yield* raise('jobs');
  return 'written';
}

export function* insertJob(job: Job): Script<void> {
  const { id, kind, state, task, cursor, phase, done, total, startedBy, started } = job;
  yield* rows(
    `insert into job (id, kind, state, task, cursor, phase, done, total, is_cancelled, started_by, started_at, lease_until, fence)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10, 0, 0)`,
    id,
    kind,
    state,
    toDocument(task),
    toDocument(cursor),
    phase,
    done,
    total,
    startedBy,
    started,
  );
}

export function jobTables(needs: TableDependencies): JobStore {
  const { engine, clock } = needs;
  const { each, forUpdate, skipLocked } = engine.dialect;

  return {
    addJob: (by, decide) =>
      transaction(needs, { closedWhen: 'readOnly', lock: 'exclusive' }, function* (raise) {
        const active = yield* rows(`select ${JOB} from job where ${ACTIVE}`);
        const decision = decide(active.map(jobOf));
        yield* insertJob(decision.change);
        yield* raise('jobs');
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    async jobs(limit) {
      return (await engine.query(`select ${JOB} from job order by started_at desc limit ${limit}`)).map(jobOf);
    },

    async job(id) {
      const [found] = await engine.query(`select ${JOB} from job where id = $1`, id);
      return found === undefined ? undefined : jobOf(found);
    },

    async entries(id, after) {
      const found = await engine.query(
        'select number, at, code, text from job_entry where job_id = $1 and number > $2 order by number',
        id,
        after,
      );
      return found.map((one) => ({
        number: integer(one, 'number'),
        at: integer(one, 'at'),
        code: optionalInteger(one, 'code'),
        text: text(one, 'text'),
      }));
    },

    async journal(id) {
      const steps = await engine.query('select name, result from job_step where job_id = $1', id);
      const marks = await engine.query('select mark, at from job_entry where job_id = $1 and mark is not null', id);
      const [last] = await engine.query(
        'select code from job_entry where job_id = $1 order by number desc limit 1',
        id,
      );
      return {
        last: last === undefined ? undefined : optionalInteger(last, 'code'),
        steps: new Map(steps.map((one) => [text(one, 'name'), document(one, 'result')])),
        marks: new Map(marks.map((one) => [text(one, 'mark'), integer(one, 'at')])),
      };
    },

    cancelJob: (id, by, decide) =>
      transaction(needs, { closedWhen: 'never' }, function* (raise) {
        const found = yield* row(`select ${JOB} from job where id = $1${forUpdate}`, id);
        const decision = decide(found === undefined ? undefined : jobOf(found));
        if (decision.change === 'none') return;
        yield* rows('update job set is_cancelled = 1 where id = $1', id);
        yield* raise('jobs');
        yield* recordDecision(by, clock.now(), decision);
      }),

    async claimJob(owner, kinds, now, leaseUntil) {
      const waiting = `select id from job where ${WORKED_ON} and lease_until <= $1
        and kind in (select value ->> 0 from ${each('$2')}) order by lease_until, started_at limit 1`;
      const known = JSON.stringify(kinds.map((kind) => [kind]));
      // Looked for first, so that an idle server writes nothing.
      if ((await engine.query(waiting, now, known)).length === 0) return undefined;
      return transaction(needs, { closedWhen: 'never' }, function* () {
        const found = yield* row(waiting + skipLocked, now, known);
        if (found === undefined) return undefined;
        const taken = yield* row(
          // Higher than that of any job before, so that what is outside need not know which job it belongs to.
          `update job set owner = $2, lease_until = $3, fence = 1 + (select max(fence) from job)
           where id = $1 returning ${JOB}`,
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
      transaction(needs, { closedWhen: 'never' }, function* () {
        const found = yield* row(
          `update job set lease_until = $3 where id = $1 and fence = $2 and ${WORKED_ON} returning id`,
          job,
          fence,
          leaseUntil,
        );
        return found === undefined ? 'lost' : 'renewed';
      }),

    async wishes(id) {
      const [found] = await engine.query('select is_pausing, is_cancelled from job where id = $1', id);
      return {
        isPausing: found !== undefined && integer(found, 'is_pausing') === 1,
        isCancelled: found !== undefined && integer(found, 'is_cancelled') === 1,
      };
    },

    append: (lease, progress) =>
      transaction(needs, { closedWhen: 'never' }, (raise) => advance(lease, progress, clock.now(), raise)),

    async takeBackJobs() {
      await transaction(needs, { closedWhen: 'never' }, () =>
        rows(`update job set lease_until = 0 where ${WORKED_ON} and lease_until > 0`),
      );
    },
  };
}
