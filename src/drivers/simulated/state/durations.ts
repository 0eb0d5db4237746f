import type { DatabasePhase } from '../../../model/workload.ts';
import { share } from './hash.ts';

export interface SimulatedSettings {
  /** How long a rollout takes on average: each workload takes 60 % to 140 % of it. */
  readonly rolloutMs: number;
  readonly hookMs: number;
  /** How long a phase of the database takes, except `engine`, which takes four times as long. */
  readonly databaseMs: number;
}

/** With these, a release of 48 workloads and its latest patch take less than a minute. */
export const DEFAULT_SETTINGS: SimulatedSettings = { rolloutMs: 2000, hookMs: 2000, databaseMs: 1000 };

export function rolloutMsOf(workload: string, { rolloutMs }: SimulatedSettings): number {
  return Math.round(rolloutMs * (0.6 + 0.8 * share(workload)));
}

export function phaseMsOf(phase: DatabasePhase, { databaseMs }: SimulatedSettings): number {
  return phase === 'engine' ? 4 * databaseMs : databaseMs;
}

const PARTS: ReadonlyMap<string, number> = new Map([
  ['CustomResourceDefinition', 0.25],
  // A claim is bound when a pod uses it.
  ['PersistentVolumeClaim', 0],
]);
const PART_OF_OTHERS = 0.05;

/** How long it takes until an object that is not rolled out is ready. */
export function objectMsOf(object: string, settings: SimulatedSettings): number {
  const kind = object.slice(0, object.indexOf('/'));
  return Math.round(rolloutMsOf(object, settings) * (PARTS.get(kind) ?? PART_OF_OTHERS));
}
