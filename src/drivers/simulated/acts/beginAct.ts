import type { Act } from '../../../upgrades/ports/deployment.ts';
import { beginImages } from './beginImages.ts';
import type { ActOf, BeginResult, Snapshot } from './beginResult.ts';
import { NO_CHANGES, UNCHANGED, refused, started } from './beginResult.ts';
import { beginHook, beginPhase } from './beginRun.ts';
import {
  DATABASE,
  DEPLOYMENT,
  FAULTS,
  FENCE,
  LICENCE,
  SETTINGS,
  VOLUMES,
  actName,
  fenceIn,
  licenceIn,
} from '../state/documents.ts';
import { volumeChanges } from './volumes.ts';

const MORE_DOCUMENTS: Readonly<Record<Act['kind'], readonly string[]>> = {
  images: [SETTINGS, FAULTS],
  hook: [SETTINGS, FAULTS, DEPLOYMENT],
  database: [SETTINGS, FAULTS, DATABASE],
  volumes: [VOLUMES],
  licence: [],
};

/** The fence comes first in every transaction, so that no two wait for each other. */
export function documentsToBegin(act: Act): readonly string[] {
  return [FENCE, ...MORE_DOCUMENTS[act.kind], actName(act) ?? []].flat();
}

type Beginners = { readonly [K in Act['kind']]: (act: ActOf<K>, moment: Snapshot) => BeginResult };

const BEGINNERS: Beginners = {
  images: beginImages,
  hook: beginHook,
  database: beginPhase,
  volumes({ volumes }, { documents: found }) {
    const changes = volumeChanges(volumes, found);
    return 'reason' in changes ? refused(changes) : started(changes);
  },
  licence: ({ content }, { documents: found, now }) =>
    licenceIn(found)?.content === content ? UNCHANGED : started(new Map([[LICENCE, { content, at: now }]])),
};

function beginAct<K extends Act['kind']>(act: ActOf<K>, moment: Snapshot): BeginResult {
  return BEGINNERS[act.kind](act, moment);
}

/** Whoever has the highest fence so far holds the deployment; all others are told so, and change nothing. */
export function beginWithFence(act: Act, fence: number, moment: Snapshot): BeginResult {
  const highest = fenceIn(moment.documents);
  if (fence < highest) return { begun: { kind: 'overtaken' }, changes: NO_CHANGES };
  const beginning = beginAct(act, moment);
  if (fence === highest) return beginning;
  return { ...beginning, changes: new Map([...beginning.changes, [FENCE, { fence }]]) };
}
