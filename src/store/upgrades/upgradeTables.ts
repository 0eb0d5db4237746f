import { StewardError } from '../../foundation/errors.ts';
import type {
  Facts,
  PreviousImages,
  Installed,
  LockedFacts,
  UpgradeChange,
  UpgradeStore,
} from '../../upgrades/ports/upgradeStore.ts';
import type { Mode } from '../../model/mode.ts';
import type { Version } from '../../model/version.ts';
import type { TableDependencies, RaiseRevision } from '../transaction.ts';
import { MODE, transaction, modeOf, recordDecision } from '../transaction.ts';
import { JOB, advance, insertJob, jobOf, noteSteps, say } from '../jobs/jobTables.ts';
import { writeMode } from '../system/modeStore.ts';
import type { Row, Script } from '../engine/script.ts';
import { document, integer, optionalText, row, rows, text, toDocument } from '../engine/script.ts';
import { insertUpload } from '../system/uploadStore.ts';

const INSTALLED =
  'select seq, at, how, who, job_id, document, images_before from installed_version where removed_at is null order by seq';
const KNOWN = 'select document from known_version order by id';
const RESTORE_POINT = 'select name, at from restore_point where id = 1';
const OURS = `kind in ('upgrade', 'rollback')`;
const PAST = `select ${JOB} from job where ${OURS} order by started_at desc, id limit `;
const JOBS_MEASURED = 5;
const OF_LEG = /^(?:patch|release|rollback)(?:-\d+)?\//;

function installedOf(found: Row): Installed {
  return {
    seq: integer(found, 'seq'),
    version: document(found, 'document') as Version,
    at: integer(found, 'at'),
    how: text(found, 'how') as Installed['how'],
    by: text(found, 'who'),
    job: optionalText(found, 'job_id'),
    before: document(found, 'images_before') as readonly PreviousImages[],
  };
}

function factsOf(
  installed: readonly Row[],
  known: readonly Row[],
  point: Row | undefined,
  latest: Row | undefined,
): Facts {
  return {
    installed: installed.map(installedOf),
    known: known.map((one) => document(one, 'document') as Version),
    restorePoint: point === undefined ? undefined : { name: text(point, 'name'), at: integer(point, 'at') },
    latest: latest === undefined ? undefined : jobOf(latest),
  };
}

function* see(): Script<LockedFacts> {
  const facts = factsOf(yield* rows(INSTALLED), yield* rows(KNOWN), yield* row(RESTORE_POINT), yield* row(`${PAST}1`));
  return { ...facts, mode: modeOf(yield* row(MODE)) };
}

function* writeVersions(
  { know = [], install = [], remove = [], restorePoint }: UpgradeChange,
  at: number,
): Script<void> {
  for (const version of know)
    yield* rows(
      `insert into known_version (id, at, document) values ($1, $2, $3)
       on conflict (id) do update set at = excluded.at, document = excluded.document`,
      version.id,
      at,
      toDocument(version),
    );
  for (const seq of remove) yield* rows('update installed_version set removed_at = $2 where seq = $1', seq, at);
  for (const one of install)
    yield* rows(
      `insert into installed_version (id, at, how, who, job_id, document, images_before)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      one.version.id,
      one.at,
      one.how,
      one.by,
      one.job ?? null,
      toDocument(one.version),
      toDocument(one.before),
    );
  if (restorePoint !== undefined)
    yield* rows(
      `insert into restore_point (id, name, at) values (1, $1, $2)
       on conflict (id) do update set name = excluded.name, at = excluded.at`,
      restorePoint.name,
      restorePoint.at,
    );
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

function* writeJob({ add, edit, say: said }: UpgradeChange, at: number): Script<void> {
  if (add !== undefined) {
    yield* insertJob(add.job);
    yield* noteSteps(add.job.id, 0, at, add.steps);
    if (add.keeps !== undefined) yield* insertUpload(add.keeps, add.keeps.bytes);
    if (add.uses !== undefined) {
      const kept = yield* row('update upload set used_by = $2 where id = $1 returning id', add.uses, add.job.id);
      if (kept === undefined) throw new StewardError('conflict', `The upload ${add.uses} was deleted a moment ago.`);
    }
  }
  if (edit !== undefined) {
    const { job, state, isPausing, isCancelled, cursor } = edit;
    // What is to be worked on is free at once; what goes on after its end has not ended.
    yield* rows(
      `update job set state = coalesce($2, state), is_pausing = coalesce($3, is_pausing),
         is_cancelled = coalesce($4, is_cancelled), cursor = coalesce($5, cursor),
         lease_until = case when $2 is null then lease_until else 0 end,
         ended_at = case when $2 is null then ended_at else null end where id = $1`,
      job,
      state ?? null,
      flag(isPausing),
      flag(isCancelled),
      toDocument(cursor),
    );
  }
  if (said !== undefined) yield* say(said.job, at, said.messages);
}

function* write(changed: UpgradeChange, before: Mode, at: number, raise: RaiseRevision): Script<void> {
  yield* writeVersions(changed, at);
  yield* writeJob(changed, at);
  if (changed.mode !== undefined && changed.mode !== before) yield* writeMode(changed.mode, raise);
  yield* raise('jobs');
  yield* raise('versions');
}

export function upgradeTables(needs: TableDependencies): UpgradeStore {
  const { engine, clock } = needs;
  return {
    async facts() {
      const [installed, known, points, latest] = await Promise.all([
        engine.query(INSTALLED),
        engine.query(KNOWN),
        engine.query(RESTORE_POINT),
        engine.query(`${PAST}1`),
      ]);
      return factsOf(installed, known, points[0], latest[0]);
    },

    async past(limit) {
      return (await engine.query(PAST + String(limit))).map(jobOf);
    },

    async durations() {
      const found = await engine.query(
        `select name, took_ms from job_step where took_ms > 0 and job_id in
           (select id from job where ${OURS} order by started_at desc limit ${JOBS_MEASURED}) order by at`,
      );
      return new Map(found.map((one) => [text(one, 'name').replace(OF_LEG, 'workload/'), integer(one, 'took_ms')]));
    },

    change: (by, decide) =>
      transaction(needs, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const seen = yield* see();
        const decision = decide(seen);
        yield* write(decision.change, seen.mode, clock.now(), raise);
        yield* recordDecision(by, clock.now(), decision);
      }),

    conclude: (lease, by, decide) =>
      transaction(needs, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const seen = yield* see();
        const decision = decide(seen);
        const appended = yield* advance(lease, decision.change.progress, clock.now(), raise);
        if (appended !== 'written') return appended;
        yield* write(decision.change, seen.mode, clock.now(), raise);
        yield* recordDecision(by, clock.now(), decision);
        return appended;
      }),
  };
}
