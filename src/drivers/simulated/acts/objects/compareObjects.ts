import type { ObjectFinding, WantedObject } from '../../../../upgrades/ports/objects.ts';
import type { Snapshot } from '../../state/documents.ts';
import { FAULTS, OBJECTS, WORKLOADS } from '../../state/documents.ts';
import { findObject, findingContext } from './findObject.ts';

export const COMPARED_DOCUMENTS = [FAULTS, OBJECTS, WORKLOADS] as const;

/** Says for each object what an act on it would do now. */
export function compareObjects(wanted: readonly WantedObject[], snapshot: Snapshot): readonly ObjectFinding[] {
  const context = findingContext(snapshot, wanted);
  return wanted.map((one) => findObject(one, context).finding);
}
