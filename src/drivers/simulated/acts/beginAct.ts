import type { Act } from '../../../upgrades/ports/deployment.ts';
import type { Snapshot } from '../state/documents.ts';
import { DATABASE, DEPLOYMENT, FAULTS, FENCE, LICENCE, SETTINGS, VOLUMES } from '../state/documents.ts';
import { actName, fenceIn, licenceIn } from '../state/documents.ts';
import { beginImages } from './beginImages.ts';
import { beginHook, beginPhase } from './beginRun.ts';
import type { ActOf, BeginResult } from './beginResult.ts';
import { NO_CHANGES, UNCHANGED, started } from './beginResult.ts';
import { beginObject, documentsOfObject } from './objects/beginObject.ts';
import { beginVolumes } from './volumes.ts';

const MORE_DOCUMENTS: Readonly<Record<Act['kind'], readonly string[]>> = {
  images: [SETTINGS, FAULTS],
  object: [SETTINGS, FAULTS],
  hook: [SETTINGS, FAULTS, DEPLOYMENT],
  database: [SETTINGS, FAULTS, DATABASE],
  volumes: [VOLUMES],
  licence: [],
};

/** Names the documents that `beginAct` reads. The fence comes first in every transaction, which prevents deadlocks. */
export function documentsToBegin(act: Act): readonly string[] {
  const own = act.kind === 'object' ? documentsOfObject(act.object) : [actName(act) ?? []].flat();
  return [FENCE, ...MORE_DOCUMENTS[act.kind], ...own];
}

type BeginByKind = { readonly [K in Act['kind']]: (act: ActOf<K>, snapshot: Snapshot) => BeginResult };

const BEGIN: BeginByKind = {
  images: beginImages,
  object: beginObject,
  hook: beginHook,
  database: beginPhase,
  volumes: beginVolumes,
  licence: ({ content }, { documents, now }) =>
    licenceIn(documents)?.content === content ? UNCHANGED : started([[LICENCE, { content, at: now }]]),
};

/** Begins an act for the holder of the highest fence so far. A lower fence is overtaken and changes nothing. */
export function beginAct<K extends Act['kind']>(act: ActOf<K>, fence: number, snapshot: Snapshot): BeginResult {
  const highest = fenceIn(snapshot.documents);
  if (fence < highest) return { begun: { kind: 'overtaken' }, changes: NO_CHANGES };
  const result = BEGIN[act.kind](act, snapshot);
  if (fence === highest) return result;
  return { ...result, changes: new Map([...result.changes, [FENCE, { fence }]]) };
}
