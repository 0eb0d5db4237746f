import type { Act, Observation } from '../../../upgrades/ports/deployment.ts';
import type { ActOf, Snapshot } from './beginResult.ts';
import { imagesMatch } from '../state/images.ts';
import { rolloutStatus } from './rollout.ts';
import { observeHook, observePhase } from './run.ts';
import { VOLUMES, WORKLOADS, actName, licenceIn, runIn, runName, workloadIn } from '../state/documents.ts';
import { volumesMatch } from './volumes.ts';

const ONE_BY_ONE_AT_MOST = 16;

/** Few workloads are looked up one by one, many in one look at all. */
export function documentsToObserve(acts: readonly Act[]): readonly string[] {
  const images = acts.filter(({ kind }) => kind === 'images');
  const others = acts.filter(({ kind }) => kind !== 'images');
  const rest = others.map((act) => actName(act) ?? VOLUMES);
  const workloads = images.length > ONE_BY_ONE_AT_MOST ? [WORKLOADS] : images.flatMap((act) => actName(act) ?? []);
  return [...new Set([...workloads, ...rest])];
}

type Observers = { readonly [K in Act['kind']]: (act: ActOf<K>, moment: Snapshot) => Observation };

const ABSENT: Observation = { state: 'absent' };
const DONE: Observation = { state: 'done', lines: [] };

const OBSERVERS: Observers = {
  images({ workload: name, images }, { documents: found, now }) {
    const workload = workloadIn(found, name);
    const standing = workload && rolloutStatus(workload, now);
    return standing !== undefined && imagesMatch(standing.desired, images) ? standing.observation : ABSENT;
  },
  hook({ hook, run }, { documents: found, now }) {
    const state = runIn(found, runName(run, hook));
    return state === undefined ? ABSENT : observeHook(hook, state, now);
  },
  database({ phase, run }, { documents: found, now }) {
    const state = runIn(found, runName(run, phase));
    return state === undefined ? ABSENT : observePhase(phase, state, now);
  },
  volumes: ({ volumes }, { documents: found }) => (volumesMatch(volumes, found) ? DONE : ABSENT),
  licence: ({ content }, { documents: found }) => (licenceIn(found)?.content === content ? DONE : ABSENT),
};

export function observeAct<K extends Act['kind']>(act: ActOf<K>, moment: Snapshot): Observation {
  return OBSERVERS[act.kind](act, moment);
}
