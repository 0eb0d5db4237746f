import { expect } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/schema/json.ts';
import { objectName } from '../../../../src/model/objects/bundleObject.ts';
import type { Image, Manager } from '../../../../src/model/workload.ts';
import type { Begun, BegunAct, Deployment, Observation } from '../../../../src/upgrades/ports/deployment.ts';
import type { DeploymentUnderTest } from '../deploymentContract.ts';
import type { ObjectAct, ObjectFinding, WantedObject } from '../../../../src/upgrades/ports/objects.ts';

/** A workload of a bundle with its images. */
export interface SampleWorkload {
  readonly content: JsonObject;
  readonly images: readonly Image[];
}

/** What the tests need to do to the objects of a deployment. */
export interface ObjectHooks {
  /** A workload that does not exist yet, with this value of a variable in its environment, and the first or the next image. */
  workload(mode: string, image: 'first' | 'next'): SampleWorkload;
  /** The object as it is; undefined if it does not exist. May have more fields than were applied. */
  read(object: string): Promise<JsonObject | undefined>;
  /** Creates an object that does not belong to Steward. */
  place(content: JsonObject): Promise<void>;
  /** Sets a field of an object, such as `data.MODE`, in the name of another manager. */
  manage(object: string, field: string, value: unknown, manager: Manager): Promise<void>;
  /** Lets admission refuse every change of the object, until the returned function is called. */
  refuse(object: string): Promise<() => Promise<void>>;
  /** Keeps what is applied to the workload next from being ready. */
  neverReady(workload: string): Promise<void>;
}

export interface ObjectsUnderTest extends Pick<DeploymentUnderTest, 'deployment' | 'settle' | 'hang' | 'forbid'> {
  readonly objects: ObjectHooks;
}

interface ActOptions extends Pick<WantedObject, 'configuration' | 'isAcknowledged'> {
  readonly images?: readonly Image[];
}

function wantedOf(content: JsonObject, options: ActOptions = {}): WantedObject {
  const { configuration, isAcknowledged } = options;
  return { object: objectName(content), content, configuration, isAcknowledged };
}

/** Applies an object. */
export function actOn(content: JsonObject, expected: ObjectAct['expected'], options: ActOptions = {}): ObjectAct {
  return { kind: 'object', ...wantedOf(content, options), expected, images: options.images ?? [] };
}

/** Removes an object. */
export function removal(object: string, expected: ObjectAct['expected']): ObjectAct {
  return { kind: 'object', object, content: undefined, expected, images: [] };
}

/** What tests do to the objects of a deployment. */
function actsOn(deployment: Deployment, settle: () => Promise<void>) {
  async function compare(...wanted: readonly WantedObject[]): Promise<ObjectFinding> {
    const [finding] = await deployment.compareObjects(wanted);
    return finding ?? Promise.reject(new Error('nothing was compared'));
  }
  const find = (content: JsonObject, options?: ActOptions) => compare(wantedOf(content, options));
  const findRemoval = (object: string) => compare({ object, content: undefined });
  const planned = async (content: JsonObject, options?: ActOptions): Promise<ObjectAct> =>
    actOn(content, (await find(content, options)).former, options);
  const look = async (one: BegunAct): Promise<Observation> =>
    (await deployment.observe([one]))[0] ?? Promise.reject(new Error('nothing was observed'));
  const begin = (one: ObjectAct, fence = 1): Promise<Begun> => deployment.begin(one, fence);

  /** Begins an act, and lets time pass until it is done. */
  async function complete(one: ObjectAct): Promise<void> {
    expect(await begin(one)).toMatchObject({ kind: 'begun' });
    await settle();
    expect(await look(one)).toMatchObject({ state: 'done' });
  }
  const apply = async (content: JsonObject, options?: ActOptions) => complete(await planned(content, options));
  return { compare, find, findRemoval, planned, look, begin, complete, apply };
}

export async function openedObjects(open: () => Promise<ObjectsUnderTest>) {
  const tested = await open();
  return { ...tested, ...actsOn(tested.deployment, tested.settle) };
}
