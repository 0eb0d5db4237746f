import type { Act, BegunAct, Observation } from '../../../upgrades/ports/deployment.ts';
import { OTHER_MANAGER, faultDurationMs, faultRemedy } from '../state/injectedFault.ts';
import type { Snapshot, WorkloadState } from '../state/documents.ts';
import {
  DATABASE,
  OBJECTS,
  VOLUMES,
  WORKLOADS,
  actName,
  databaseIn,
  licenceIn,
  runIn,
  runName,
  workloadIn,
} from '../state/documents.ts';
import { imagesMatch } from '../state/images.ts';
import type { ActOf } from './beginResult.ts';
import { currentDatabase } from './database.ts';
import { documentsOfObject } from './objects/beginObject.ts';
import { observeObject } from './objects/observeObject.ts';
import { rolloutStatus } from './rollout.ts';
import { observeHook, observePhase } from './run.ts';
import { volumesMatch } from './volumes.ts';

const MOST_SINGLE_READS = 16;

/** Names the documents that `observeAct` reads. Many workloads are read as one range instead of one by one. */
export function documentsToObserve(acts: readonly Act[]): readonly string[] {
  const images = acts.filter(({ kind }) => kind === 'images');
  const objects = acts.flatMap((act) => (act.kind === 'object' ? [act.object] : []));
  const others = acts.flatMap((act) =>
    act.kind === 'images' || act.kind === 'object' ? [] : [actName(act) ?? VOLUMES],
  );
  const workloads = images.length > MOST_SINGLE_READS ? [WORKLOADS] : images.flatMap((act) => actName(act) ?? []);
  const ofObjects =
    objects.length > MOST_SINGLE_READS ? [OBJECTS, WORKLOADS] : objects.flatMap((one) => documentsOfObject(one));
  const database = acts.some(({ kind }) => kind === 'database') ? [DATABASE] : [];
  return [...new Set([...workloads, ...ofObjects, ...others, ...database])];
}

type ObserveByKind = { readonly [K in Act['kind']]: (act: BegunActOf<K>, snapshot: Snapshot) => Observation };
type BegunActOf<K extends Act['kind']> = ActOf<K> & Pick<BegunAct, 'receipt'>;

const ABSENT: Observation = { state: 'absent' };
const DONE: Observation = { state: 'done', lines: [] };

const STALE: Observation = { state: 'unknown', reason: 'the simulated API does not show the change yet' };

/** Whether the API still shows the state from before the rollout, as a cache that lags behind does. */
function isHidden({ rollout }: WorkloadState, now: number): boolean {
  return rollout?.fault?.kind === 'lag' && now - rollout.begun < faultDurationMs(rollout.fault);
}

const OBSERVE: ObserveByKind = {
  images({ workload: name, images, receipt }, { documents, now }) {
    const workload = workloadIn(documents, name);
    if (workload !== undefined && isHidden(workload, now)) return receipt === undefined ? ABSENT : STALE;
    const status = workload && rolloutStatus(workload, now);
    if (status !== undefined && imagesMatch(status.desired, images)) return status.observation;
    const fault = workload?.rollout?.fault;
    return fault?.kind === 'putBack'
      ? { ...ABSENT, changedBy: OTHER_MANAGER.name, remedy: faultRemedy(fault.id) }
      : ABSENT;
  },
  object: (act, snapshot) => observeObject(act, snapshot, STALE),
  hook: ({ hook, run }, { documents, now }) => observeHook(hook, runIn(documents, runName(run, hook)), now),
  database({ phase, run }, { documents, now }) {
    const database = databaseIn(documents);
    return observePhase(phase, runIn(documents, runName(run, phase)), database && currentDatabase(database, now), now);
  },
  volumes: ({ volumes }, { documents }) => (volumesMatch(volumes, documents) ? DONE : ABSENT),
  licence: ({ content }, { documents }) => (licenceIn(documents)?.content === content ? DONE : ABSENT),
};

export function observeAct<K extends Act['kind']>(act: BegunActOf<K>, snapshot: Snapshot): Observation {
  return OBSERVE[act.kind](act, snapshot);
}
