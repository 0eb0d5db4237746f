import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Act } from '../../../upgrades/ports/deployment.ts';
import type { Hook } from '../../../model/hook.ts';
import type { Image } from '../../../model/workload.ts';
import type { DatabaseState } from '../acts/database.ts';
import type { InjectedFault } from '../faults/injectedFault.ts';
import type { RunState } from '../acts/run.ts';
import type { SimulatedSettings } from './timing.ts';
import { DEFAULT_SETTINGS } from './timing.ts';

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
const RUNS = 'simulated/run/';

/** A rollout that was begun; where it stands is reckoned from the time that has passed since. */
export interface Rollout {
  readonly begun: number;
  readonly durationMs: number;
  /** The fault that strikes it, kept here so that it does even after a restart. */
  readonly fault?: { readonly id: string; readonly kind: InjectedFault['kind']; readonly seconds?: number | undefined };
}

export interface WorkloadState {
  readonly name: string;
  readonly component: string;
  readonly module: string;
  readonly wave: number;
  readonly replicas: number;
  readonly generation: number;
  readonly desired: readonly Image[];
  /** What ran when the rollout was begun. */
  readonly previous: readonly Image[];
  readonly rollout?: Rollout;
  readonly owner?: string;
  /** As it was put in, until its images are changed. */
  readonly trouble?: string;
}

export interface VolumeState {
  readonly name: string;
  readonly size: string;
  readonly storageClass: string;
}

// Each name ends in a part of its own: all are found by how they begin, and `web` must not find `web-2`.
export function workloadName(name: string): string {
  return `${WORKLOADS}${name}/state`;
}

export function volumeName(name: string): string {
  return `${VOLUMES}${name}/state`;
}

export function faultName(id: string): string {
  return `${FAULTS}${id}/state`;
}

export function runName(run: string, what: string): string {
  return `${RUNS}${encodeURIComponent(run)}/${what}/state`;
}

/** The document that tells where an act stands; undefined of volumes, which are several. */
export function actName(act: Act): string | undefined {
  if (act.kind === 'images') return workloadName(act.workload);
  if (act.kind === 'hook') return runName(act.run, act.hook);
  if (act.kind === 'database') return runName(act.run, act.phase);
  return act.kind === 'licence' ? LICENCE : undefined;
}

/** Documents are written by this room alone, so their shapes are trusted. */
export function workloadIn(found: DocumentMap, name: string): WorkloadState | undefined {
  return found.get(workloadName(name)) as WorkloadState | undefined;
}

function allIn(found: DocumentMap, prefix: string): readonly unknown[] {
  return [...found].filter(([name]) => name.startsWith(prefix)).map(([, content]) => content);
}

export function workloadsIn(found: DocumentMap): readonly WorkloadState[] {
  return allIn(found, WORKLOADS) as readonly WorkloadState[];
}

export function volumesIn(found: DocumentMap): readonly VolumeState[] {
  return allIn(found, VOLUMES) as readonly VolumeState[];
}

/** In the order in which they were put in: where several could strike, the first does. */
export function faultsIn(found: DocumentMap): readonly InjectedFault[] {
  return (allIn(found, FAULTS) as readonly InjectedFault[]).toSorted((one, other) => one.order - other.order);
}

export function runIn(found: DocumentMap, name: string): RunState | undefined {
  return found.get(name) as RunState | undefined;
}

export function databaseIn(found: DocumentMap): DatabaseState | undefined {
  return found.get(DATABASE) as DatabaseState | undefined;
}

export function hooksIn(found: DocumentMap): readonly Hook[] {
  return (found.get(DEPLOYMENT) as { readonly hooks: readonly Hook[] } | undefined)?.hooks ?? [];
}

export function settingsIn(found: DocumentMap): SimulatedSettings {
  return { ...DEFAULT_SETTINGS, ...(found.get(SETTINGS) as Partial<SimulatedSettings> | undefined) };
}

export function fenceIn(found: DocumentMap): number {
  return (found.get(FENCE) as { readonly fence: number } | undefined)?.fence ?? 0;
}

export function licenceIn(found: DocumentMap): { readonly content: string; readonly at: number } | undefined {
  return found.get(LICENCE) as { readonly content: string; readonly at: number } | undefined;
}
