import type { Act, Observation } from '../../../upgrades/ports/deployment.ts';
import type { ActOf, Moment } from './beginResult.ts';
import { areTold } from '../state/images.ts';
import { standingOf } from './rollout.ts';
import { seenOfHook, seenOfPhase } from './run.ts';
import { VOLUMES, WORKLOADS, actName, licenceIn, runIn, runName, workloadIn } from '../state/documents.ts';
import { areVolumesSo } from './volumes.ts';

const ONE_BY_ONE_AT_MOST = 16;

/** Few workloads are looked up one by one, many in one look at all. */
export function documentsOfAll(acts: readonly Act[]): readonly string[] {
  const images = acts.filter(({ kind }) => kind === 'images');
  const others = acts.filter(({ kind }) => kind !== 'images');
  const rest = others.map((act) => actName(act) ?? VOLUMES);
  const workloads = images.length > ONE_BY_ONE_AT_MOST ? [WORKLOADS] : images.flatMap((act) => actName(act) ?? []);
  return [...new Set([...workloads, ...rest])];
}

type Observers = { readonly [K in Act['kind']]: (act: ActOf<K>, moment: Moment) => Observation };

const ABSENT: Observation = { state: 'absent' };
const DONE: Observation = { state: 'done', lines: [] };

const OBSERVERS: Observers = {
  images({ workload: name, images }, { found, now }) {
    const workload = workloadIn(found, name);
    const standing = workload && standingOf(workload, now);
    return standing !== undefined && areTold(standing.told, images) ? standing.seen : ABSENT;
  },
  hook({ hook, run }, { found, now }) {
    const state = runIn(found, runName(run, hook));
    return state === undefined ? ABSENT : seenOfHook(hook, state, now);
  },
  database({ phase, run }, { found, now }) {
    const state = runIn(found, runName(run, phase));
    return state === undefined ? ABSENT : seenOfPhase(phase, state, now);
  },
  volumes: ({ volumes }, { found }) => (areVolumesSo(volumes, found) ? DONE : ABSENT),
  licence: ({ content }, { found }) => (licenceIn(found)?.content === content ? DONE : ABSENT),
};

export function observed<K extends Act['kind']>(act: ActOf<K>, moment: Moment): Observation {
  return OBSERVERS[act.kind](act, moment);
}
