import type { Change, Durations, Measurements, Plan, RolloutId, Step, StepId } from '../values/plan.ts';

/** Takes the median, so that one measurement across a jump of the clock does not count. None is above the deadline of a step. */
function typicalMs(measured: readonly number[], longestMs: number): number | undefined {
  const plausible = measured.filter((ms) => ms <= longestMs).toSorted((a, b) => a - b);
  return plausible[Math.floor(plausible.length / 2)];
}

function typicalOf<K>(all: ReadonlyMap<K, readonly number[]>, longestMs: number): ReadonlyMap<K, number> {
  const typical = [...all].flatMap(([key, measured]) => {
    const ms = typicalMs(measured, longestMs);
    return ms === undefined ? [] : [[key, ms] as const];
  });
  return new Map(typical);
}

/** Derives durations from measurements of earlier jobs. */
export function durationsFrom({ steps, workloads }: Measurements, longestMs: number): Durations {
  return { steps: typicalOf(steps, longestMs), workloads: typicalOf(workloads, longestMs) };
}

/** How many objects other than workloads are changed at a time. */
export const OBJECTS_AT_ONCE = 50;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Estimates a wave in which up to `parallel` updates run at a time and the next starts as soon as one is done. */
export function waveMs(wave: readonly Pick<Change, 'estimateMs'>[], parallel: number): number {
  if (wave.length === 0) return 0;
  const busyUntil = Array.from({ length: Math.max(1, Math.min(parallel, wave.length)) }, () => 0);
  for (const { estimateMs } of wave) {
    const first = busyUntil.indexOf(Math.min(...busyUntil));
    busyUntil[first] = (busyUntil[first] ?? 0) + estimateMs;
  }
  return Math.max(...busyUntil);
}

export function wavesMs(waves: readonly (readonly Change[])[], parallel: number): number {
  return sum(waves.map((wave) => waveMs(wave, parallel)));
}

/** Which parts of a plan are done. */
export interface DoneParts {
  isStepDone(step: StepId): boolean;
  isWorkloadDone(step: RolloutId, workload: string): boolean;
}

/** Estimates how long the rest of a plan takes. */
export function remainingMs({ steps }: Plan, done: DoneParts, parallel: number): number {
  const left = (step: Step): number => {
    if (step.kind !== 'rollout') return step.estimateMs;
    const open = step.waves.map((wave) => wave.filter(({ workload }) => !done.isWorkloadDone(step.id, workload)));
    return wavesMs(open, parallel);
  };
  return sum(steps.filter(({ id }) => !done.isStepDone(id)).map(left));
}
