import type { Act } from '../../../upgrades/ports/deployment.ts';
import { beginImages } from './beginImages.ts';
import type { ActOf, Beginning, Moment } from './beginResult.ts';
import { NOTHING, UNCHANGED, refused, started } from './beginResult.ts';
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
export function documentsOf(act: Act): readonly string[] {
  return [FENCE, ...MORE_DOCUMENTS[act.kind], actName(act) ?? []].flat();
}

type Beginners = { readonly [K in Act['kind']]: (act: ActOf<K>, moment: Moment) => Beginning };

const BEGINNERS: Beginners = {
  images: beginImages,
  hook: beginHook,
  database: beginPhase,
  volumes({ volumes }, { found }) {
    const changes = volumeChanges(volumes, found);
    return 'reason' in changes ? refused(changes) : started(changes);
  },
  licence: ({ content }, { found, now }) =>
    licenceIn(found)?.content === content ? UNCHANGED : started(new Map([[LICENCE, { content, at: now }]])),
};

function beginAct<K extends Act['kind']>(act: ActOf<K>, moment: Moment): Beginning {
  return BEGINNERS[act.kind](act, moment);
}

/** Whoever has the highest fence so far holds the deployment; all others are told so, and change nothing. */
export function begin(act: Act, fence: number, moment: Moment): Beginning {
  const highest = fenceIn(moment.found);
  if (fence < highest) return { begun: { kind: 'overtaken' }, changes: NOTHING };
  const beginning = beginAct(act, moment);
  if (fence === highest) return beginning;
  return { ...beginning, changes: new Map([...beginning.changes, [FENCE, { fence }]]) };
}
