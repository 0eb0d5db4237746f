import { StewardError } from '../../foundation/errors.ts';
import type { Mode } from '../../model/mode.ts';
import type { Version } from '../../model/version.ts';
import type { Entry } from '../../upgrades/journal/entry.ts';
import type { Durations, StepId } from '../../upgrades/plan/plan.ts';
import type {
  Facts,
  Installed,
  LockedFacts,
  PreviousImages,
  UpgradeChange,
  UpgradeStore,
} from '../../upgrades/ports/upgradeStore.ts';
import { codec, integer, json, oneOf, optional, text } from '../engine/codec.ts';
import type { Row, Script } from '../engine/script.ts';
import { row, rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import { jobScripts, jobTable } from '../jobs/jobTables.ts';
import { writeMode } from '../system/modeStore.ts';
import { insertUpload } from '../system/uploadStore.ts';
import type { RaiseRevision, TableDependencies } from '../transaction.ts';
import { MODE, modeOf, recordDecision, transaction } from '../transaction.ts';

const knownVersions = table('known_version', {
  id: text('id'),
  at: integer('at'),
  version: json<Version>('document'),
});

/** The number that the database assigns is only read. */
const newVersions = table('installed_version', {
  id: text('id'),
  version: json<Version>('document'),
  at: integer('at'),
  how: oneOf('how', ['upgrade', 'adopt']),
  by: text('who'),
  job: optional(text('job_id')),
  before: json<readonly PreviousImages[]>('images_before'),
});
const installedVersions = newVersions.with({ seq: integer('seq') });

const restorePoints = table('restore_point', { id: integer('id'), name: text('name'), at: integer('at') });
const RESTORE_POINT_ID = 1;

const INSTALLED = `${installedVersions.select} where removed_at is null order by seq`;
const KNOWN = `${knownVersions.select} order by id`;
const RESTORE_POINT = `${restorePoints.select} where id = ${RESTORE_POINT_ID}`;
const IS_UPGRADE = `kind in ('upgrade', 'rollback')`;
const PAST = `${jobTable.select} where ${IS_UPGRADE} order by started_at desc, id limit `;
/** Entries that carry a duration, with only the columns that matter here. */
const measured = codec({ entry: json<Entry<'stepDone' | 'workloadDone'>>('entry') });
/** How many jobs the durations are taken from. */
const MEASURED_JOBS = 5;
const DURATIONS = `select ${measured.list()} from job_journal where kind in ('stepDone', 'workloadDone') and job_id in
  (select id from job where ${IS_UPGRADE} order by started_at desc limit ${MEASURED_JOBS}) order by at`;

const putVersion = knownVersions.upserter('id');
const putRestorePoint = restorePoints.upserter('id');

function installedOf(found: Row): Installed {
  const { id: _, ...installed } = installedVersions.read(found);
  return installed;
}

function factsOf(
  installed: readonly Row[],
  known: readonly Row[],
  point: Row | undefined,
  latest: Row | undefined,
): Facts {
  const { name, at } = point === undefined ? {} : restorePoints.read(point);
  return {
    installed: installed.map(installedOf),
    known: known.map((one) => knownVersions.read(one).version),
    restorePoint: name === undefined || at === undefined ? undefined : { name, at },
    latest: latest === undefined ? undefined : jobTable.read(latest),
  };
}

function* readFacts(): Script<LockedFacts> {
  const facts = factsOf(yield* rows(INSTALLED), yield* rows(KNOWN), yield* row(RESTORE_POINT), yield* row(`${PAST}1`));
  return { ...facts, mode: modeOf(yield* row(MODE)) };
}

function* writeVersions(
  { addVersions = [], install = [], remove = [], restorePoint }: UpgradeChange,
  at: number,
): Script<void> {
  for (const version of addVersions) yield* putVersion({ id: version.id, at, version });
  for (const seq of remove) yield* rows('update installed_version set removed_at = $2 where seq = $1', seq, at);
  for (const installed of install) yield* newVersions.insert({ id: installed.version.id, ...installed });
  if (restorePoint !== undefined) yield* putRestorePoint({ id: RESTORE_POINT_ID, ...restorePoint });
}

function* keepUpload(id: string, job: string): Script<void> {
  const kept = yield* row('update upload set used_by = $2 where id = $1 returning id', id, job);
  if (kept === undefined) throw new StewardError('conflict', `The upload ${id} was deleted a moment ago.`);
}

export function createUpgradeStore(dependencies: TableDependencies): UpgradeStore {
  const { engine, clock } = dependencies;
  const jobs = jobScripts(engine.dialect);

  function* writeJob({ addJob, controlJob }: UpgradeChange, now: number): Script<void> {
    if (addJob !== undefined) {
      const { job, addUpload, usesUpload } = addJob;
      yield* jobs.add(job, addJob);
      if (addUpload !== undefined) yield* insertUpload(addUpload, addUpload.bytes);
      if (usesUpload !== undefined) yield* keepUpload(usesUpload, job.id);
    }
    if (controlJob !== undefined) {
      const { job, entries, messages, ...change } = controlJob;
      yield* jobs.control(job, change, { entries, messages }, now);
    }
  }

  function* write(change: UpgradeChange, before: Mode, raise: RaiseRevision): Script<void> {
    const now = clock.now();
    yield* writeVersions(change, now);
    yield* writeJob(change, now);
    if (change.mode !== undefined && change.mode !== before) yield* writeMode(change.mode, raise);
    yield* raise('jobs');
    yield* raise('versions');
  }

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
      return (await engine.query(PAST + String(limit))).map(jobTable.read);
    },

    async durations() {
      const steps = new Map<StepId, number>();
      const workloads = new Map<string, number>();
      for (const found of await engine.query(DURATIONS)) {
        const { entry } = measured.read(found);
        if (entry.kind === 'stepDone') steps.set(entry.step, entry.tookMs);
        else workloads.set(entry.workload, entry.tookMs);
      }
      return { steps, workloads } satisfies Durations;
    },

    change: (by, decide) =>
      transaction(dependencies, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const facts = yield* readFacts();
        const decision = decide(facts);
        yield* write(decision.change, facts.mode, raise);
        yield* recordDecision(by, clock.now(), decision);
      }),

    conclude: (lease, by, decide) =>
      transaction(dependencies, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const facts = yield* readFacts();
        let decision: ReturnType<typeof decide> | undefined;
        const advanced = yield* jobs.advance(
          lease,
          (at) => {
            decision = decide(facts, at);
            return decision.change.progress;
          },
          clock.now(),
          raise,
        );
        if (advanced !== 'written' || decision === undefined) return advanced;
        yield* write(decision.change, facts.mode, raise);
        yield* recordDecision(by, clock.now(), decision);
        return advanced;
      }),
  };
}
