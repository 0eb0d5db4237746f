import { StewardError } from '../../foundation/errors.ts';
import type { Progress } from '../../jobs/jobStore.ts';
import type { Mode } from '../../model/mode.ts';
import type { Version } from '../../model/version.ts';
import type { Entry } from '../../upgrades/journal/entry.ts';
import type { Measurements, StepId } from '../../upgrades/values/plan.ts';
import type {
  Facts,
  LockedFacts,
  SignedManifest,
  StoredPlan,
  UpgradeChange,
  UpgradeStore,
} from '../../upgrades/ports/upgradeStore.ts';
import type { PreviousImages } from '../../upgrades/values/target.ts';
import { codec, integer, json, oneOf, optional, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { row, rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import { jobScripts, jobTable } from '../jobs/jobTables.ts';
import { writeMode } from '../system/modeStore.ts';
import { insertUpload } from '../system/uploadStore.ts';
import { readEpoch } from '../epoch.ts';
import type { RaiseRevision, TableDependencies } from '../transaction.ts';
import { readMode, recordDecision, transaction } from '../transaction.ts';
import { jobsWithContents, keptBundles, objectScripts } from './objects.ts';

const knownVersions = table('known_version', {
  id: text('id'),
  at: integer('at'),
  version: json<Version>('document'),
  product: optional(text('product')),
});

const signedManifests = table('signed_manifest', {
  hash: text('hash'),
  at: integer('at'),
  document: text('document'),
});
const putManifest = signedManifests.upserter('hash');
/** Every known version may come from its own manifest. */
const MAX_SIGNED_MANIFESTS = 1000;

const versions = table('installed_version', {
  version: json<Version>('document'),
  at: integer('at'),
  how: oneOf('how', ['upgrade', 'adopt']),
  by: text('who'),
  job: optional(text('job_id')),
  before: json<readonly PreviousImages[]>('images_before'),
  objects: optional(text('objects')),
});
const newVersions = versions.with({ id: text('id') });
const installedVersions = versions.with({ seq: integer('seq') });

/** A table with at most one row. */
const restorePoints = table('restore_point', { name: text('name'), at: integer('at') });

const IS_UPGRADE = `kind in ('upgrade', 'rollback')`;
const PAST = `${jobTable.select} where ${IS_UPGRADE} order by started_at desc, id limit `;
/** Entries that carry a duration, with only the columns that matter here. */
const measured = codec({ entry: json<Entry<'stepDone' | 'workloadDone'>>('entry') });
/** How many jobs the durations are taken from. */
const MEASURED_JOBS = 5;
const DURATIONS = `select ${measured.list()} from job_journal where kind in ('stepDone', 'workloadDone') and job_id in
  (select id from job where ${IS_UPGRADE} order by started_at desc limit ${MEASURED_JOBS}) order by at`;

const plans = table('shown_plan', {
  hash: text('hash'),
  at: integer('at'),
  content: json<StoredPlan['content']>('content'),
});
const putPlan = plans.upserter('hash');

const putVersion = knownVersions.upserter('id');
const putRestorePoint = restorePoints.with({ id: integer('id') }).upserter('id');

function* readFacts(): Script<Facts> {
  const known = yield* knownVersions.all(`${knownVersions.select} order by id`);
  const installed = yield* installedVersions.all(`${installedVersions.select} where removed_at is null order by seq`);
  const job = installed.at(-1)?.job;
  return {
    restoredAt: yield* readEpoch(),
    installed,
    installedBy: job === undefined ? undefined : yield* jobTable.first(`${jobTable.select} where id = $1`, job),
    known: known.map(({ version }) => version),
    products: new Map(known.flatMap(({ id, product }) => (product === undefined ? [] : [[id, product] as const]))),
    restorePoint: yield* restorePoints.first(restorePoints.select),
    latest: yield* jobTable.first(`${PAST}1`),
    bundles: yield* keptBundles(),
    keptObjects: yield* jobsWithContents(),
  };
}

function* readLockedFacts(): Script<LockedFacts> {
  return { ...(yield* readFacts()), mode: yield* readMode() };
}

function* keepManifest({ hash, document }: SignedManifest, at: number): Script<void> {
  yield* putManifest({ hash, at, document });
  yield* rows(
    'delete from signed_manifest where hash not in (select hash from signed_manifest order by at desc, hash limit $1)',
    MAX_SIGNED_MANIFESTS,
  );
}

function* writeVersions(
  { addVersions, install = [], remove = [], restorePoint }: UpgradeChange,
  at: number,
): Script<void> {
  const { versions: added = [], product, signed } = addVersions ?? {};
  for (const version of added) yield* putVersion({ id: version.id, at, version, product });
  if (signed !== undefined) yield* keepManifest(signed, at);
  for (const seq of remove) yield* rows('update installed_version set removed_at = $2 where seq = $1', seq, at);
  for (const installed of install)
    yield* newVersions.insert({ id: installed.version.id, ...installed, objects: installed.objects });
  if (restorePoint !== undefined) yield* putRestorePoint({ id: 1, ...restorePoint });
}

function* keepUpload(id: string, job: string): Script<void> {
  const kept = yield* row('update upload set used_by = $2 where id = $1 returning id', id, job);
  if (kept === undefined) throw new StewardError('conflict', `The upload ${id} was deleted a moment ago.`);
}

export function createUpgradeStore(dependencies: TableDependencies): UpgradeStore {
  const { engine, clock } = dependencies;
  const jobs = jobScripts(dependencies);
  const objects = objectScripts(dependencies);

  function* writeJob({ addJob, controlJob }: UpgradeChange): Script<void> {
    if (addJob !== undefined) {
      const { job, addUpload, usesUpload } = addJob;
      yield* jobs.add(job, addJob);
      if (addUpload !== undefined) yield* insertUpload(addUpload, addUpload.bytes);
      if (usesUpload !== undefined) yield* keepUpload(usesUpload, job.id);
    }
    if (controlJob !== undefined) {
      const { job, entries, messages, ...change } = controlJob;
      yield* jobs.control(job, change, { entries, messages });
    }
  }

  function* write(change: UpgradeChange, before: Mode, raise: RaiseRevision): Script<void> {
    yield* writeVersions(change, clock.now());
    yield* objects.write(change);
    yield* writeJob(change);
    if (change.mode !== undefined && change.mode !== before) yield* writeMode(change.mode, raise);
    yield* raise('jobs');
    yield* raise('versions');
  }

  return {
    facts: () => engine.read(readFacts()),

    past: (limit) => engine.read(jobTable.all(PAST + String(limit))),

    async measurements() {
      const steps = new Map<StepId, number[]>();
      const workloads = new Map<string, number[]>();
      for (const { entry } of await engine.read(measured.all(DURATIONS))) {
        if (entry.kind === 'stepDone') steps.set(entry.step, [...(steps.get(entry.step) ?? []), entry.tookMs]);
        else workloads.set(entry.workload, [...(workloads.get(entry.workload) ?? []), entry.tookMs]);
      }
      return { steps, workloads } satisfies Measurements;
    },

    async signedManifests() {
      const hashes = signedManifests.pick('hash');
      const found = await engine.read(hashes.all(`${hashes.select} order by at, hash`));
      return found.map(({ hash }) => hash);
    },

    async signedManifest(hash) {
      const found = await engine.read(signedManifests.first(`${signedManifests.select} where hash = $1`, hash));
      return found?.document;
    },

    keepPlan: (plan, { expired, most }) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        yield* putPlan(plan);
        yield* rows('delete from shown_plan where at < $1', expired);
        yield* rows(
          'delete from shown_plan where hash not in (select hash from shown_plan order by at desc, hash limit $1)',
          most,
        );
      }),

    ...objects.methods,

    storedPlan: (hash) => engine.read(plans.first(`${plans.select} where hash = $1`, hash)),

    change: (by, decide) =>
      transaction(dependencies, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const facts = yield* readLockedFacts();
        const decision = decide(facts);
        yield* write(decision.change, facts.mode, raise);
        yield* recordDecision(by, clock.now(), decision);
      }),

    conclude: (lease, by, decide) =>
      transaction(dependencies, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const facts = yield* readLockedFacts();
        let decision: ReturnType<typeof decide> | undefined;
        const progressOf = (at: number): Progress => {
          decision = decide(facts, at);
          return decision.change.progress;
        };
        const advanced = yield* jobs.advance(lease, progressOf, raise);
        if (advanced !== 'written' || decision === undefined) return advanced;
        yield* write(decision.change, facts.mode, raise);
        yield* recordDecision(by, clock.now(), decision);
        return advanced;
      }),
  };
}
