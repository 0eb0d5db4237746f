// Runs upgrade jobs on a virtual clock and interrupts the process that works on them: the crash tests compare the outcome with
// that of an undisturbed run.
import { unsignedManifest } from '../../../../src/upgrades/versions/acceptManifest.ts';
import type { SimulatedDeployment } from '../../../../src/drivers/simulated/simulatedDeployment.ts';
import { createSimulatedDeployment } from '../../../../src/drivers/simulated/simulatedDeployment.ts';
import { localActor } from '../../../../src/model/actor.ts';
import { DAY, SECOND } from '../../../../src/foundation/clock.ts';
import { silentLog } from '../../../../src/foundation/log.ts';
import { createSealer } from '../../../../src/foundation/sealer.ts';
import type { Loop } from '../../../../src/foundation/flow/loop.ts';
import type { Verb } from '../../../../src/jobs/jobs.ts';
import type { Job, JobMessage } from '../../../../src/jobs/jobStore.ts';
import type { JobState } from '../../../../src/model/jobState.ts';
import { startJobRunner } from '../../../../src/jobs/jobRunner.ts';
import { demoProduct } from '../../../../src/demo/deployment/demoProduct.ts';
import type { Store } from '../../../../src/store/store.ts';
import { openStore } from '../../../../src/store/store.ts';
import type { Inventory } from '../../../../src/model/workload.ts';
import type { Mode } from '../../../../src/model/mode.ts';
import type { Upgrades } from '../../../../src/upgrades/upgrades.ts';
import { createUpgrades } from '../../../../src/upgrades/upgrades.ts';
import type { CrashableProcess, Interruption } from './crashablePorts.ts';
import { createCrashablePorts } from './crashablePorts.ts';
import { temporaryFolder } from '../../run/runFolder.ts';
import type { JobKindName, FaultCase } from '../faultCases.ts';
import type { ManualClock } from '../../clock/manualClock.ts';
import { manualClock } from '../../clock/manualClock.ts';
import { CODE } from '../codes.ts';
import { DEFINITION_KIND } from '../objects/objectVersions.ts';
import { applyFirstBundle, keepBundles, versionsWithBundles } from './objectsInstalled.ts';
import { NO_WATCHER, watchStore } from './watchedStore.ts';

/** Six workloads, in five waves. */
export const SMALL = demoProduct(6);
const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const { installed: INSTALLED, next: NEXT } = versionsWithBundles(SMALL.versions);
const VOLUMES = { 'file-store': { size: '300Gi' } };
const QUICK = { rolloutMs: 1000, hookMs: 300, databaseMs: 300 };
const BY = localActor('test');
/** Longer than any act of the deployment that is still running after the end of a job. */
const AT_REST_MS = 10 * SECOND;

/** After this time without a renewal, another process may claim a job. */
export const LEASE_MS = 15 * SECOND;
export const DEADLINE_MS = 70 * SECOND;

const VERSION_OF: Readonly<Record<JobKindName, string>> = {
  patch: PATCH,
  release: RELEASE,
  rollback: PATCH,
  objects: NEXT.id,
  objectsRollback: NEXT.id,
};
/** What each rollback takes back. */
const ROLLBACKS: Readonly<Partial<Record<JobKindName, JobKindName>>> = {
  rollback: 'patch',
  objectsRollback: 'objects',
};

/** Each run has another job. */
function withoutJobId(mode: Mode): Mode {
  return { ...mode, message: mode.message.replace(/system\/jobs\/\w+/, 'system/jobs/ID') };
}

export interface Outcome {
  /** What must be the same in every run, disturbed or not. */
  readonly end: {
    readonly state: JobState;
    readonly images: Readonly<Record<string, string>>;
    readonly database: Inventory['database'];
    readonly volumes: Inventory['volumes'];
    /** Every object as it is. */
    readonly objects: Readonly<Record<string, unknown>>;
    readonly hasLicence: boolean;
    readonly installed: readonly string[];
    readonly mode: Mode;
  };
  /** The objects before the job. */
  readonly before: Outcome['end']['objects'];
  readonly job: Job;
  readonly entries: readonly JobMessage[];
  /** The written values of `done`, in order. */
  readonly progress: readonly number[];
  /** The number of writes to the journal that the first process began. */
  readonly writes: number;
  readonly tookMs: number;
}

export interface CrashRuns {
  readonly clock: ManualClock;
  readonly store: Store;
  run(kind: JobKindName, fault: FaultCase, modeBefore: Mode, interruption?: Interruption): Promise<Outcome>;
  close(): Promise<void>;
}

interface Process {
  readonly upgrades: Upgrades;
  readonly deployment: SimulatedDeployment;
  readonly crashable: CrashableProcess;
  work(): Loop;
}

/** Opens a store and a simulated deployment on a manual clock. They serve one job after the other; each begins with a fresh deployment. */
export async function openCrashRuns(): Promise<CrashRuns> {
  const folder = temporaryFolder();
  const clock = manualClock();
  // No write waits for a disk.
  const options = { clock, log: silentLog, sync: async () => undefined };
  const store = await openStore({ kind: 'sqlite', at: `${folder.path}/steward.db`, connections: 1 }, options);
  const { ports, watch } = watchStore(store, clock);

  function createProcess(owner: string, interruption?: Interruption): Process {
    const one = createCrashablePorts(ports, interruption);
    const deployment = createSimulatedDeployment({ documents: one.ports.documents, clock: one.clock });
    const upgrades = createUpgrades({
      store: one.ports.upgrades,
      jobs: one.ports.jobs,
      uploads: one.ports.uploads,
      deployment,
      clock: one.clock,
      log: silentLog,
      limits: { parallel: 8, deadlineMs: DEADLINE_MS, observeEveryMs: 300 },
      manifestKey: undefined,
      licenceKey: undefined,
      namespace: undefined,
      clusterKinds: new Set([DEFINITION_KIND]),
      sealer: createSealer([Buffer.alloc(32, 7)]),
    });
    const work = (): Loop =>
      startJobRunner({
        store: one.ports.jobs,
        kinds: upgrades.jobKinds(),
        clock: one.clock,
        log: silentLog,
        owner,
      });
    return { upgrades, deployment, crashable: one, work };
  }

  const front = createProcess('front');

  function begin(kind: JobKindName): Promise<void> {
    if (ROLLBACKS[kind] !== undefined) return front.upgrades.rollback(BY, VERSION_OF[kind]);
    const licence = { product: 'Product', version: '11.0', expires: clock.now() + 30 * DAY };
    const isRelease = kind === 'release';
    return front.upgrades.start(BY, {
      versionId: VERSION_OF[kind],
      manifest: unsignedManifest([]),
      licence: isRelease ? { name: 'l.json', bytes: Buffer.from(JSON.stringify(licence)) } : undefined,
      settings: isRelease ? { userInputs: [{ id: 'volumesConfig', value: VOLUMES }] } : undefined,
      updateToLatestPatch: true,
      planHash: undefined,
      withoutRestorePoint: false,
    });
  }

  /** Records the version that the job begins with, and makes the deployment what it was then. */
  async function install(kind: JobKindName): Promise<void> {
    const { inventory, versions } = SMALL;
    const hasObjects = kind === 'objects' || kind === 'objectsRollback';
    const known = hasObjects ? [...versions, INSTALLED, NEXT] : versions;
    const installed = hasObjects ? INSTALLED.id : (versions[0]?.id ?? '');
    if (hasObjects) await keepBundles(store.upgrades);
    await front.upgrades.adopt(BY, installed, unsignedManifest(known), { isDryRun: false, force: true });
    await front.deployment.startOver(inventory);
    if (hasObjects) await applyFirstBundle(front.deployment, INSTALLED);
    await clock.pass(hasObjects ? AT_REST_MS : 0);
  }

  async function startOver(kind: JobKindName): Promise<void> {
    const undone = ROLLBACKS[kind];
    await install(kind);
    await front.deployment.changeSettings(undone === undefined ? QUICK : { rolloutMs: 1 });
    if (undone === undefined) return;
    const ended = new Promise<void>((resolve) => watch({ ...NO_WATCHER, onEnd: resolve }));
    await begin(undone);
    const runner = createProcess('before').work();
    await clock.until('the patch that is rolled back', ended);
    await clock.until('its runner stops', runner.stop());
    await front.deployment.changeSettings(QUICK);
  }

  async function addFaults({ faults }: FaultCase): Promise<void> {
    for (const one of faults) await front.deployment.addFault(one);
  }

  async function control(verb: Verb): Promise<void> {
    const { latest } = await store.upgrades.facts();
    if (latest !== undefined) await front.upgrades.controls[latest.kind]?.control(verb, BY, latest);
  }

  async function objectsNow(): Promise<Outcome['before']> {
    const objects = [...(await front.deployment.liveObjects())];
    return Object.fromEntries(objects.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  async function outcome(progress: readonly number[], writes: number): Promise<Omit<Outcome, 'before'>> {
    await clock.pass(AT_REST_MS);
    const { installed, latest: job } = await store.upgrades.facts();
    if (job === undefined) throw new Error('there is no job');
    await front.deployment.removeFaults(undefined);
    const { workloads, database, volumes } = await front.deployment.inventory();
    const { licence } = await front.deployment.view();
    return {
      end: {
        state: job.state,
        images: Object.fromEntries(
          workloads.map(({ name, images }) => [
            name,
            images.map(({ image, checksum }) => `${image} ${checksum}`).join(),
          ]),
        ),
        database,
        volumes,
        objects: await objectsNow(),
        hasLicence: licence !== undefined,
        installed: installed.map(({ version }) => version.id),
        mode: withoutJobId(await store.mode.mode()),
      },
      job,
      entries: await store.jobs.messages(job.id, 0),
      progress,
      writes,
      tookMs: (job.ended ?? Number.NaN) - job.started,
    };
  }

  async function run(
    kind: JobKindName,
    fault: FaultCase,
    modeBefore: Mode,
    interruption?: Interruption,
  ): Promise<Outcome> {
    await startOver(kind);
    const before = await objectsNow();
    await store.mode.changeMode(BY, () => ({ change: modeBefore, announce: [], audit: [] }));
    const progress: number[] = [];
    let isAdded = false;
    let claims = 0;
    const first = createProcess('first', interruption);
    const ended = new Promise<void>((resolve) => {
      watch({
        async onSaid(codes) {
          if (codes.includes(CODE.paused)) await control('resume');
          if (isAdded || fault.when === undefined || !codes.includes(fault.when[kind] ?? 0)) return;
          isAdded = true;
          await (fault.verb === undefined ? addFaults(fault) : control(fault.verb));
        },
        onDone: (done) => void progress.push(done),
        onEnd: resolve,
        onClaim() {
          claims += 1;
          // The frozen process wakes up when another has just begun, or a little later.
          const laterMs = ((interruption?.at ?? 0) % 4) * 350;
          if (claims === 2) void clock.sleep(laterMs).then(() => first.crashable.thaw());
        },
      });
    });
    // After the acceptance: a request is refused if a check sees the fault.
    await begin(kind);
    if (fault.when === undefined || fault.verb !== undefined) await addFaults(fault);
    const runners = [first.work()];
    if (interruption !== undefined && interruption.kind !== 'failing') {
      await clock.until('the interruption or the end', Promise.race([first.crashable.interrupted, ended]));
      await clock.pass(LEASE_MS);
      runners.push(createProcess('second').work());
      if (interruption.kind === 'killed') runners.shift();
    }
    await clock.until('the end', ended);
    first.crashable.thaw();
    await clock.until('its runners stop', Promise.all(runners.map((runner) => runner.stop())));
    watch(NO_WATCHER);
    return { ...(await outcome(progress, first.crashable.writes())), before };
  }

  return {
    clock,
    store,
    run,
    async close() {
      await store.close();
      folder.remove();
    },
  };
}
