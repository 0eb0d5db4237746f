// The messages about objects beside images.
import { counted } from '../../foundation/text/counted.ts';
import { listed } from '../../foundation/text/listed.ts';
import type { Message } from '../../jobs/jobStore.ts';
import type { Change, ObjectChange, Plan } from '../values/plan.ts';
import { OBJECTS_FORMAT, changesOf } from '../values/plan.ts';
import { imageNames, isSameImages } from '../versions/images.ts';
import { message } from './messageText.ts';

const NONE: readonly Message[] = [];

export function describeObjectsPlanned(plan: Plan): readonly Message[] {
  const { kept = [], format } = plan;
  if (format !== OBJECTS_FORMAT && kept.length === 0) return NONE;
  const verbs = new Map(changesOf(plan).flatMap(({ workload, object }) => (object ? [[workload, object.verb]] : [])));
  const count = (verb: ObjectChange['verb']): number => [...verbs.values()].filter((one) => one === verb).length;
  const counts = `${count('create')} to create, ${count('change')} to change, ${count('remove')} to remove`;
  const names = kept.map(({ object, reason }) => `${object} (${reason})`);
  const text = ` The version no longer has ${counted(kept.length, 'object')} that stay: ${listed(names, '; ')}.`;
  return [message('objectsPlanned', { counts, kept: kept.length === 0 ? '' : text })];
}

/** A workload was changed: with new images, or as a whole with the same ones. Other objects are reported when they are done. */
export function describeRequested({ workload, from, to, object }: Change): readonly Message[] {
  if (to.length === 0) return NONE;
  return object !== undefined && isSameImages(from, to)
    ? [message('workloadChanged', { workload })]
    : [message('workloadUpdated', { workload, image: imageNames(to) })];
}

export function describeObjectDone({ workload: name, object }: Change): readonly Message[] {
  if (object?.verb === 'remove') return [message('objectRemoved', { object: name })];
  return [message('objectApplied', { object: name, done: object?.verb === 'create' ? 'created' : 'changed' })];
}

const RESTORED: Readonly<Record<ObjectChange['verb'], string>> = {
  create: 'that the job had created was removed',
  change: 'is as it was before the job',
  remove: 'that the job had removed was created again',
};

export function describeObjectRestored({ workload, from, to }: Change, { verb }: ObjectChange): readonly Message[] {
  if (verb === 'change' && to.length > 0) return [message('workloadRestored', { workload, image: imageNames(from) })];
  return [message('objectRestored', { object: workload, restored: RESTORED[verb] })];
}
