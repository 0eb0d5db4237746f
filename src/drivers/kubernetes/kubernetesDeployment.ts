// The workloads in a namespace of a Kubernetes cluster. Each method is a few requests; what they mean is decided by the pure
// functions of `workloads` and `rollout`.
import { cacheFor } from '../../foundation/cache/cacheFor.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import { mapInParallel } from '../../foundation/flow/mapInParallel.ts';
import type { Failure } from '../../model/failure.ts';
import type { Observation } from '../../upgrades/ports/deployment.ts';
import type { BegunWorkloadAct, WorkloadAct, WorkloadDeployment } from '../joinDatabase.ts';
import { recordEvent } from './acts/events.ts';
import { stampFence } from './acts/fence.ts';
import { createHookRuns, hooksIn } from './acts/hooks.ts';
import { absentWorkload, beginImages, rehearseImages } from './acts/images.ts';
import { hasLicence, rehearseMode, writeLicence, writeMode } from './acts/objects.ts';
import { beginVolumes, observeVolumes, rehearseVolumes, volumeOf } from './acts/volumes.ts';
import { forbiddenAsRefusal } from './api/apiError.ts';
import type { ClusterApi } from './api/clusterApi.ts';
import { endedBy } from './api/endedBy.ts';
import { checkHookTemplates, checkNodes, checkProbes, checkQuota, checkReplicas } from './preflight/clusterChecks.ts';
import { checkRights, withAllRights } from './preflight/rights.ts';
import type { ActRules } from './objects/beginObject.ts';
import { beginObject } from './objects/beginObject.ts';
import type { ObjectRules } from './objects/compareObjects.ts';
import { compareObjects, rehearseObject } from './objects/compareObjects.ts';
import { createSameCache } from './objects/dryRun.ts';
import type { ObservationRules } from './objects/observeObjects.ts';
import { observeObjects } from './objects/observeObjects.ts';
import { scaledObjects } from './objects/present/presentObjects.ts';
import { stampObjects } from './objects/stampObjects.ts';
import { fetchObjects } from './registry/fetchObjects.ts';
import { createImageFinder } from './registry/imageFinder.ts';
import type { Rewrite } from './registry/imageReference.ts';
import { pinned, rewritten } from './registry/imageReference.ts';
import type { RegistryClient } from './registry/registryClient.ts';
import type { ClusterView, ImagesAct } from './rollout/observeImages.ts';
import { createImagesObserver } from './rollout/observeImages.ts';
import type { Pod } from './rollout/pods.ts';
import { groupPods, podOf } from './rollout/pods.ts';
import { LABELS } from './workloads/labels.ts';
import type { ClusterWatch } from './watch/clusterWatch.ts';
import { pausedSources } from './workloads/pausedSources.ts';
import type { FoundWorkload } from './workloads/podTemplate.ts';
import { WORKLOAD_KINDS } from './workloads/podTemplate.ts';
import { slimmed } from './workloads/slimmed.ts';
import { workloadOf } from './workload.ts';

export interface KubernetesOptions {
  readonly api: ClusterApi;
  readonly watch: ClusterWatch;
  readonly registry: RegistryClient;
  readonly clock: Clock;
  readonly selector: string;
  /** Managers whose fields are taken over although they are in no list. */
  readonly takeOverFrom: ReadonlySet<string>;
  readonly rewrites: readonly Rewrite[];
  /** The kinds that belong to the whole cluster and that a version may bring. */
  readonly clusterKinds: ReadonlySet<string>;
}

/** Acts that are begun together share a list of autoscalers. */
const SCALED_FOR_MS = 2 * SECOND;

/** The limit of a list that several callers share. */
const LIST_LIMIT_MS = 30 * SECOND;

const ABSENT: Observation = { state: 'absent' };

function nameOf({ kind, object }: FoundWorkload): string {
  return `${kind}/${object.metadata.name}`;
}

function viewOf(workloads: readonly FoundWorkload[], pods: readonly Pod[]): ClusterView {
  return {
    workloads: new Map(workloads.filter((one) => !isHook(one)).map((one) => [nameOf(one), one])),
    pods: groupPods(pods),
  };
}

function isHook({ object }: FoundWorkload): boolean {
  return object.metadata.labels?.[LABELS.hook] !== undefined;
}

function createWorkloads(options: KubernetesOptions): WorkloadDeployment {
  const { api, watch, clock, selector, takeOverFrom, rewrites, clusterKinds } = options;
  const scaled = cacheFor(clock, SCALED_FOR_MS, async () => new Set(await scaledObjects(api)));
  const objectRules: ObjectRules = { api, selector, takeOverFrom, clusterKinds, same: createSameCache() };
  const actRules: ActRules = { ...objectRules, clock, scaled: (signal) => endedBy(scaled(), signal) };
  const hooks = createHookRuns(api, clock);
  const images = createImageFinder(api, options.registry);
  const observeImages = createImagesObserver(api, images, clock);

  async function findWorkloads(signal?: AbortSignal): Promise<readonly FoundWorkload[]> {
    const lists = await Promise.all(WORKLOAD_KINDS.map((kind) => api.listAs(kind, selector, slimmed, signal)));
    return WORKLOAD_KINDS.flatMap((kind, n) => (lists[n]?.items ?? []).map((object) => ({ kind, object }))).filter(
      (one) => !isHook(one),
    );
  }

  let listing: Promise<readonly FoundWorkload[]> | undefined;
  /** The checks of a plan run at the same time and share one list: a copy of 1,000 workloads takes tens of megabytes. */
  function sharedWorkloads(signal?: AbortSignal): Promise<readonly FoundWorkload[]> {
    listing ??= findWorkloads(AbortSignal.timeout(LIST_LIMIT_MS)).finally(() => (listing = undefined));
    return endedBy(listing, signal);
  }

  async function findHooks(signal?: AbortSignal): Promise<readonly FoundWorkload[]> {
    const { items } = await api.list('CronJob', LABELS.hook, signal);
    return items.map((object) => ({ kind: 'CronJob', object }));
  }

  /** Reads everything as it is now. */
  async function look(signal?: AbortSignal): Promise<ClusterView> {
    const [workloads, pods] = await Promise.all([findWorkloads(signal), api.listAs('Pod', undefined, podOf, signal)]);
    return viewOf(workloads, pods.items);
  }

  /** Everything as the watch showed it a moment ago. */
  async function glance(signal?: AbortSignal): Promise<ClusterView> {
    const [workloads, pods] = await Promise.all([watch.workloads(signal), watch.pods(signal)]);
    return viewOf(workloads, pods);
  }

  /**
   * An act with a receipt is judged by what the watch shows, because the receipt tells whether that is too old. What is bad
   * news, and acts without a receipt, are judged by what is read now.
   */
  async function observeAllImages(acts: readonly ImagesAct[], signal?: AbortSignal): Promise<readonly Observation[]> {
    const isWatched = acts.every(({ receipt }) => receipt !== undefined);
    const first = isWatched ? await glance(signal) : await look(signal);
    const observed = await Promise.all(acts.map((act) => observeImages(act, first, signal)));
    if (!isWatched || observed.every(({ state }) => state !== 'absent' && state !== 'failed')) return observed;
    const now = await look(signal);
    return Promise.all(acts.map((act) => observeImages(act, now, signal)));
  }

  const observationRules: ObservationRules = {
    ...actRules,
    observeImages: observeAllImages,
    shownGeneration: (workload) => watch.known(workload)?.metadata.generation,
  };

  async function observeOther(
    act: Exclude<BegunWorkloadAct, { kind: 'images' | 'object' }>,
    signal?: AbortSignal,
  ): Promise<Observation> {
    if (act.kind === 'hook') return hooks.observe(act, signal);
    if (act.kind === 'volumes') return observeVolumes(api, act.volumes, signal);
    return (await hasLicence(api, act.content, signal)) ? { state: 'done', lines: [] } : { state: 'absent' };
  }

  async function rehearse(
    act: WorkloadAct,
    workloads: ClusterView['workloads'],
    signal?: AbortSignal,
  ): Promise<Failure | undefined> {
    if (act.kind === 'volumes') return rehearseVolumes(api, act.volumes, signal);
    if (act.kind === 'object') return rehearseObject(objectRules, act, signal);
    if (act.kind !== 'images') return undefined;
    const found = workloads.get(act.workload);
    return found === undefined
      ? absentWorkload(act.workload, api.namespace).failure
      : rehearseImages({ api, takeOverFrom }, found, act, signal);
  }

  return {
    isSimulated: false,

    referenceFor: (image, checksum) => pinned(rewritten(image, rewrites), checksum),

    async inventory(signal) {
      const [{ workloads, pods }, templates, claims] = await Promise.all([
        look(signal),
        findHooks(signal),
        api.list('PersistentVolumeClaim', undefined, signal),
      ]).catch(async (error: unknown) => {
        throw await withAllRights(api, error, signal);
      });
      const rules = { takeOverFrom, isSame: images.isSame };
      return {
        workloads: await mapInParallel([...workloads], async ([name, { kind, object }]) => {
          const paused = await pausedSources(api, object, signal);
          return workloadOf(kind, object, pods.get(name) ?? [], { ...rules, pausedSources: paused });
        }),
        volumes: claims.items.map(volumeOf),
        hooks: hooksIn(templates),
      };
    },

    findImages: async (wanted, signal) => images.find(wanted, await sharedWorkloads(signal), signal),

    fetchObjects: async (image, signal) => fetchObjects(options, image, await sharedWorkloads(signal), signal),
    compareObjects: (wanted, signal) => compareObjects(objectRules, wanted, signal),

    diagnostics: [
      { name: 'rights', run: (signal) => checkRights(api, signal) },
      { name: 'nodes', run: (signal) => checkNodes(api, signal) },
      { name: 'quota', run: (signal) => checkQuota(api, signal) },
      { name: 'probes', run: async (signal) => checkProbes(await sharedWorkloads(signal)) },
      { name: 'replicas', run: async (signal) => checkReplicas(await sharedWorkloads(signal)) },
      { name: 'hookTemplates', run: async (signal) => checkHookTemplates(await findHooks(signal)) },
    ],

    async rehearse(acts, signal) {
      const { workloads } = viewOf(await sharedWorkloads(signal), []);
      return mapInParallel(acts, (act) => rehearse(act, workloads, signal));
    },

    async takeOver(fence, signal, objects = []) {
      const found = (await Promise.all([findWorkloads(signal), findHooks(signal)])).flat();
      await stampFence(api, found, fence, signal);
      const stamped = new Set(found.map(nameOf));
      const others = objects.filter((object) => !stamped.has(object));
      if (others.length > 0) await stampObjects(objectRules, others, fence, signal);
    },

    async begin(act, fence, signal) {
      if (act.kind === 'images') {
        const known = watch.known(act.workload);
        return beginImages({ api, takeOverFrom }, { ...act, known }, fence, signal);
      }
      if (act.kind === 'object') return beginObject(actRules, act, fence, signal);
      if (act.kind === 'hook') return hooks.begin(act, fence, signal);
      if (act.kind === 'volumes') return beginVolumes(api, act.volumes, signal);
      await writeLicence(api, act.content, signal);
      return { kind: 'begun' };
    },

    async observe(acts, signal) {
      const rollouts = acts.filter((act) => act.kind === 'images');
      const objects = acts.filter((act) => act.kind === 'object');
      const [rolled, applied] = await Promise.all([
        rollouts.length === 0 ? [] : observeAllImages(rollouts, signal),
        objects.length === 0 ? [] : observeObjects(observationRules, objects, signal),
      ]);
      const byAct = new Map<BegunWorkloadAct, Observation>();
      for (const [n, act] of rollouts.entries()) byAct.set(act, rolled[n] ?? ABSENT);
      for (const [n, act] of objects.entries()) byAct.set(act, applied[n] ?? ABSENT);
      return Promise.all(
        acts.map(async (act) =>
          act.kind === 'images' || act.kind === 'object' ? (byAct.get(act) ?? ABSENT) : observeOther(act, signal),
        ),
      );
    },

    abandon: (act, fence, signal) => hooks.abandon(act, fence, signal),

    showMode: (mode, signal) => writeMode(api, mode, signal),

    rehearseMode: (signal) => rehearseMode(api, signal),

    record: (note, signal) => recordEvent(api, note, new Date(clock.now()), signal),
  };
}

/** A right that is missing is a refusal, whichever call meets it: no retry changes the answer. */
async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw forbiddenAsRefusal(error);
  }
}

export function createKubernetesDeployment(options: KubernetesOptions): WorkloadDeployment {
  const workloads = createWorkloads(options);
  return {
    ...workloads,
    inventory: (signal) => refusing(workloads.inventory(signal)),
    findImages: (images, signal) => refusing(workloads.findImages(images, signal)),
    fetchObjects: (image, signal) => refusing(workloads.fetchObjects(image, signal)),
    compareObjects: (wanted, signal) => refusing(workloads.compareObjects(wanted, signal)),
    diagnostics: workloads.diagnostics.map(({ name, run }) => ({ name, run: (signal) => refusing(run(signal)) })),
    rehearse: (acts, signal) => refusing(workloads.rehearse(acts, signal)),
    takeOver: (fence, signal, objects) => refusing(workloads.takeOver(fence, signal, objects)),
    begin: (act, fence, signal) => refusing(workloads.begin(act, fence, signal)),
    observe: (acts, signal) => refusing(workloads.observe(acts, signal)),
    abandon: (act, fence, signal) => refusing(workloads.abandon(act, fence, signal)),
    showMode: (mode, signal) => refusing(workloads.showMode(mode, signal)),
    rehearseMode: (signal) => refusing(workloads.rehearseMode(signal)),
    record: (note, signal) => refusing(workloads.record(note, signal)),
  };
}
