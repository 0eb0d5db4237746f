import { createHash } from 'node:crypto';
import type { CurrentVersion } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Image, Inventory, Manager, Volumes } from '../../model/workload.ts';
import type { Check } from '../ports/deployment.ts';
import type { Plan, PlanContent, Step } from '../values/plan.ts';
import { changesIn, isUpdate } from '../values/plan.ts';
import { objectChangeText, objectLabel, objectLine } from './objects/changedPlan.ts';
import type { PlannedObject } from './objects/plannedObjects.ts';

function imageText(images: readonly Image[]): string {
  return images.map(({ container, image, checksum }) => `${container} ${image} ${checksum ?? ''}`.trim()).join(', ');
}

/** The order within a wave depends on estimates, and a new estimate is not a change, so each workload has its own line. */
function stepLines(steps: readonly Step[]): PlanContent {
  const changes = steps.flatMap((step) =>
    changesIn(step).flatMap(({ workload, to, object }) => [
      ...(isUpdate({ to }) ? [[`images of ${workload} in the step ${step.id}`, imageText(to)] as const] : []),
      ...(object === undefined ? [] : [[objectLabel(workload, step.id), objectLine(object)] as const]),
    ]),
  );
  const order = steps.map(({ id }) => id).join(', ');
  return { steps: order, ...Object.fromEntries(changes) };
}

function managerText({ name, reconciles, restrained }: Manager): string {
  return `${name} (${reconciles ? 'reconciles' : (restrained ?? 'wrote once')})`;
}

function deploymentLines({ workloads, hooks, database, volumes }: Inventory): PlanContent {
  const instances = (database?.instances ?? []).map(
    ({ name, role, engine, isReadOnly }) => `${name} ${role} engine ${engine}${isReadOnly ? ' read-only' : ''}`,
  );
  return Object.fromEntries([
    ...workloads.flatMap(({ name, wave, images, blocked, managers }) => [
      [`running images of ${name}`, imageText(images)],
      [`wave of ${name}`, String(wave)],
      ...(managers.length === 0 ? [] : [[`managers of ${name}`, managers.map(managerText).join(', ')]]),
      ...(blocked === undefined ? [] : [[`obstacle of ${name}`, blocked]]),
    ]),
    ...volumes.map(({ name, size, storageClass }) => [`volume ${name}`, `${size} ${storageClass}`]),
    ['hooks', hooks.toSorted().join(', ')],
    ['database', instances.join(', ')],
  ]);
}

function volumeText({ size = '', storageClass = '' }: Volumes[string]): string {
  return `${size} ${storageClass}`.trim();
}

/** The lines of the steps and of the deployment for which they were planned. The licence is not one of them. */
export function stepContent(
  { inventory, from, volumes }: { inventory: Inventory; from: CurrentVersion; volumes: Volumes },
  steps: readonly Step[],
  pointOfNoReturn: Plan['pointOfNoReturn'],
): PlanContent {
  const requested = Object.entries(volumes).map(([name, one]) => [`volumesConfig ${name}`, volumeText(one)] as const);
  return {
    'current version': versionName(from),
    'point of no return': pointOfNoReturn ?? 'none',
    ...stepLines(steps.filter(({ kind }) => kind !== 'licence')),
    ...deploymentLines(inventory),
    ...Object.fromEntries(requested),
  };
}

/** Adds the target, the settings and the verdicts. */
export function planContent(
  steps: PlanContent,
  { target, settings, checks }: { target: string; settings: PlanContent; checks: readonly Check[] },
): PlanContent {
  const verdicts = checks.map(({ name, verdict }) => [`check ${name}`, verdict] as const);
  return { target, ...settings, ...steps, ...Object.fromEntries(verdicts) };
}

/** Differs as soon as a line differs, whatever their order. */
export function planHash(content: PlanContent): string {
  const lines = Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(lines)).digest('hex');
}

const MAX_CHANGES = 20;
const MAX_VALUE_LENGTH = 200;

function shown(value: string | undefined): string {
  if (value === undefined || value === '') return 'none';
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
}

/** Tells a person which lines have changed. `objects` are those of the plan of now. */
export function planChanges(
  before: PlanContent,
  now: PlanContent,
  objects: readonly PlannedObject[],
): readonly string[] {
  const labels = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (label) => before[label] !== now[label],
  );
  const changes = labels
    .slice(0, MAX_CHANGES)
    .map(
      (label) =>
        objectChangeText(label, [before[label], now[label]], objects) ??
        `${label}: it was ${shown(before[label])}, it is now ${shown(now[label])}`,
    );
  const more = labels.length - changes.length;
  return more > 0 ? [...changes, `and ${more} more changes`] : changes;
}
