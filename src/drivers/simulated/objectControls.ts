import { StewardError, noSuchName } from '../../foundation/errors.ts';
import type { JsonObject } from '../../foundation/schema/json.ts';
import { objectName } from '../../model/objects/bundleObject.ts';
import { containersOf } from '../../model/objects/podTemplate.ts';
import type { Manager } from '../../model/workload.ts';
import type { PresentObject } from './acts/objects/presentObject.ts';
import { presentObject } from './acts/objects/presentObject.ts';
import type { FieldPath } from './fields/leaves.ts';
import { leavesBelow, leavesOf, readField } from './fields/leaves.ts';
import { withLeaf, withoutLeaf } from './fields/mergeFields.ts';
import type { SimulationDependencies } from './state/documents.ts';
import { FENCE, OBJECTS, WORKLOADS, objectDocument, objectsIn, workloadName } from './state/documents.ts';
import { pinnedDigest } from './state/images.ts';
import type { FieldOwner, ObjectState } from './state/objectState.ts';

type Changes = readonly (readonly [string, unknown])[];

/** Adds a manager of these fields, which the others do not have any more. */
function ownedBy(owners: readonly FieldOwner[], { name, reconciles }: Manager, ids: readonly string[]) {
  const taken = new Set(ids);
  const others = owners.map((owner) => ({ ...owner, fields: owner.fields.filter((id) => !taken.has(id)) }));
  return [...others.filter(({ fields }) => fields.length > 0), { name, reconciles, fields: ids }];
}

/** The workload has the images of the object. */
function workloadChanges({ name, workload }: PresentObject, live: JsonObject): Changes {
  if (workload === undefined) return [];
  const desired = containersOf(live).map(
    ({ container, image }) =>
      workload.desired.find((one) => one.container === container && one.image === image) ?? {
        container,
        image,
        checksum: pinnedDigest(image),
      },
  );
  const { rollout: _, ...state } = workload.state;
  return [[workloadName(name), { ...state, generation: state.generation + 1, desired, previous: desired }]];
}

function written(present: PresentObject, live: JsonObject, by: Manager, ids: readonly string[]): Changes {
  const { name, state, recorded } = present;
  const { change: _, ...kept } = state ?? { name, generation: 0 };
  const next: ObjectState = {
    ...kept,
    ...recorded,
    generation: kept.generation + 1,
    live,
    owners: ownedBy(recorded.owners, by, ids),
    changedBy: by.name,
  };
  return [[objectDocument(name), next], ...workloadChanges(present, live)];
}

function withField(live: JsonObject, path: FieldPath, value: unknown): JsonObject {
  if (value === undefined) return withoutLeaf(live, path);
  return [...leavesBelow(value, path).values()].reduce(withLeaf, live);
}

/** Creates the verbs that show the objects of a simulated deployment, and change them as a person or another controller would. */
export function createObjectControls({ documents, clock }: SimulationDependencies) {
  const change = (name: string, decide: (present: PresentObject) => Changes): Promise<void> =>
    documents.change([FENCE, OBJECTS, WORKLOADS], (found) => new Map(decide(presentObject(found, name, clock.now()))));

  return {
    /** Every object that exists, by its name. */
    async liveObjects(): Promise<ReadonlyMap<string, JsonObject>> {
      const [found, now] = [await documents.read(OBJECTS, WORKLOADS), clock.now()];
      const present = objectsIn(found).map(({ name }) => presentObject(found, name, now));
      return new Map(present.flatMap(({ name, live }) => (live === undefined ? [] : [[name, live] as const])));
    },

    /** Sets a field of an object, such as `data.MODE`; undefined removes it. */
    async changeObject(name: string, field: string, value: unknown, by: Manager): Promise<void> {
      await change(name, (present) => {
        const { live } = present;
        if (live === undefined) throw noSuchName('object', name);
        const path = readField(field, live);
        if (path === undefined) throw new StewardError('invalid', `"${field}" is not the path of a field.`);
        const ids = [...leavesBelow(value ?? '', path).keys()];
        return written(present, withField(live, path, value), by, ids);
      });
    },

    /** Creates an object that does not belong to Steward, or replaces it. */
    async placeObject(content: JsonObject, by: Manager): Promise<void> {
      await change(objectName(content), (present) => written(present, content, by, [...leavesOf(content).keys()]));
    },

    /** Removes an object. */
    async removeObject(name: string, by: Manager): Promise<void> {
      await change(name, ({ state, workload }) => {
        const next = { name, generation: (state?.generation ?? 0) + 1, owners: [], isOurs: false, changedBy: by.name };
        return [
          [objectDocument(name), next satisfies ObjectState],
          ...(workload === undefined ? [] : [[workloadName(name), undefined] as const]),
        ];
      });
    },
  };
}
