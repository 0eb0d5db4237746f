// The documents that a simulated deployment consists of: their names, their shapes, and functions that read them.
// Only this driver writes them, so their shapes are trusted; this is the only file with casts.

import type { Clock } from '../../../foundation/clock.ts';
import type { DocumentMap, DocumentStore } from '../../../foundation/documentStore.ts';
import type { Hook } from '../../../model/hook.ts';
import type { Image, Inventory, Workload } from '../../../model/workload.ts';
import type { Act } from '../../../upgrades/ports/deployment.ts';
import type { DatabaseState } from './databaseState.ts';
import type { ObjectState } from './objectState.ts';
import type { RunState } from './runState.ts';
import type { InjectedFault } from './injectedFault.ts';
import { isSpent } from './injectedFault.ts';
import type { SimulatedSettings } from './durations.ts';
import { DEFAULT_SETTINGS } from './durations.ts';

export const ALL = 'simulated/';
export const FENCE = 'simulated/fence';
export const DEPLOYMENT = 'simulated/deployment';
export const SETTINGS = 'simulated/settings';
export const MODE = 'simulated/mode';
export const LICENCE = 'simulated/licence';
export const DATABASE = 'simulated/database';
export const WORKLOADS = 'simulated/workload/';
export const VOLUMES = 'simulated/volume/';
export const FAULTS = 'simulated/fault/';
export const OBJECTS = 'simulated/object/';
const RUNS = 'simulated/run/';

export interface SimulationDependencies {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

/** The documents that an act needs, at one time. */
export interface Snapshot {
  readonly documents: DocumentMap;
  readonly now: number;
}

/** A rollout that was begun. Its status is derived from the time that has passed since. */
export interface Rollout {
  readonly begun: number;
  readonly durationMs: number;
  /** A copy of the fault that strikes this rollout, because the fault may be used up or removed before the rollout ends. */
  readonly fault?: Pick<InjectedFault, 'id' | 'kind' | 'seconds'>;
}

export interface WorkloadState extends Pick<
  Workload,
  'name' | 'component' | 'module' | 'wave' | 'managers' | 'isSteward'
> {
  readonly replicas: number;
  readonly generation: number;
  /** The images of the workload's specification. */
  readonly desired: readonly Image[];
  /** The images that ran when the rollout was begun. */
  readonly previous: readonly Image[];
  readonly rollout?: Rollout;
  readonly blocked?: string;
  /** Comes with the inventory, and goes when the images are changed. */
  readonly trouble?: string;
}

export type VolumeState = Inventory['volumes'][number];

interface LicenceState {
  readonly content: string;
  readonly at: number;
}

interface ModeState {
  readonly isReadOnly: boolean;
  readonly message: string;
  readonly revision: number;
}

// Documents are read by prefix. The suffix `/state` keeps the name of `web` from being a prefix of that of `web-2`.
export const workloadName = (name: string) => `${WORKLOADS}${name}/state`;
export const volumeName = (name: string) => `${VOLUMES}${name}/state`;
export const objectDocument = (object: string) => `${OBJECTS}${object}/state`;
export const faultName = (id: string) => `${FAULTS}${id}/state`;
export const runName = (run: string, hookOrPhase: string) => `${RUNS}${encodeURIComponent(run)}/${hookOrPhase}/state`;

/** The document with the state of an act; undefined for volumes, which have one document each, and for objects. */
export function actName(act: Act): string | undefined {
  if (act.kind === 'images') return workloadName(act.workload);
  if (act.kind === 'hook') return runName(act.run, act.hook);
  if (act.kind === 'database') return runName(act.run, act.phase);
  return act.kind === 'licence' ? LICENCE : undefined;
}

function allIn(documents: DocumentMap, prefix: string): readonly unknown[] {
  return [...documents].filter(([name]) => name.startsWith(prefix)).map(([, content]) => content);
}

/** What is kept below a prefix, each read by the name of its document. */
function eachIn<T>(documents: DocumentMap, prefix: string, read: (name: string) => T | undefined): readonly T[] {
  return [...documents.keys()].filter((name) => name.startsWith(prefix)).flatMap((name) => read(name) ?? []);
}

/** What builds before version 0.1.0 called `desired` and `previous`. They had no managers. */
interface EarlierWorkloadState {
  readonly told?: readonly Image[];
  readonly before?: readonly Image[];
}

function workloadOf(content: unknown): WorkloadState {
  const { told = [], before = [], ...state } = content as WorkloadState & EarlierWorkloadState;
  const defaults = { managers: [], isSteward: false, desired: told, previous: before };
  return { ...defaults, ...state };
}

export function workloadIn(documents: DocumentMap, name: string): WorkloadState | undefined {
  const content = documents.get(workloadName(name));
  return content === undefined ? undefined : workloadOf(content);
}
export const workloadsIn = (documents: DocumentMap) => allIn(documents, WORKLOADS).map(workloadOf);
const objectAt = (documents: DocumentMap, name: string) => documents.get(name) as ObjectState | undefined;
export const objectIn = (documents: DocumentMap, object: string) => objectAt(documents, objectDocument(object));
export const objectsIn = (documents: DocumentMap) => eachIn(documents, OBJECTS, (name) => objectAt(documents, name));
const volumeAt = (documents: DocumentMap, name: string) => documents.get(name) as VolumeState | undefined;
export const volumeIn = (documents: DocumentMap, name: string) => volumeAt(documents, volumeName(name));
export const volumesIn = (documents: DocumentMap) => eachIn(documents, VOLUMES, (name) => volumeAt(documents, name));
export const runIn = (documents: DocumentMap, name: string) => documents.get(name) as RunState | undefined;
export const databaseIn = (documents: DocumentMap) => documents.get(DATABASE) as DatabaseState | undefined;
export const licenceIn = (documents: DocumentMap) => documents.get(LICENCE) as LicenceState | undefined;

/** Oldest first. */
export function faultsIn(documents: DocumentMap): readonly InjectedFault[] {
  return (allIn(documents, FAULTS) as readonly InjectedFault[]).toSorted((one, other) => one.order - other.order);
}

/** The faults that are not used up. If several could strike, the oldest does. */
export function activeFaults({ documents, now }: Snapshot): readonly InjectedFault[] {
  return faultsIn(documents).filter((fault) => !isSpent(fault, now));
}

export function hooksIn(documents: DocumentMap): readonly Hook[] {
  return (documents.get(DEPLOYMENT) as { readonly hooks: readonly Hook[] } | undefined)?.hooks ?? [];
}

export function settingsIn(documents: DocumentMap): SimulatedSettings {
  return { ...DEFAULT_SETTINGS, ...(documents.get(SETTINGS) as Partial<SimulatedSettings> | undefined) };
}

export function fenceIn(documents: DocumentMap): number {
  return (documents.get(FENCE) as { readonly fence: number } | undefined)?.fence ?? 0;
}

export function modeIn(documents: DocumentMap): ModeState {
  return { isReadOnly: false, message: '', revision: -1, ...(documents.get(MODE) as Partial<ModeState> | undefined) };
}
