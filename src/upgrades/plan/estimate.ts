import type { Plan } from './plan.ts';
import { waveMs } from './plan.ts';

/** How long what is left of a plan should take. */
export function remainingMs({ steps }: Plan, isDone: (name: string) => boolean, parallel: number): number {
  const left = steps
    .filter(({ key }) => !isDone(key))
    .flatMap((step) => {
      if (step.kind !== 'leg') return [step.estimateMs];
      return step.waves.map((wave) => {
        const waiting = wave.filter(({ workload }) => !isDone(`${step.key}/${workload}`));
        return waiting.length === 0
          ? 0
          : waveMs(
              waiting.map(({ estimateMs }) => estimateMs),
              parallel,
            );
      });
    });
  return left.reduce((sum, ms) => sum + ms, 0);
}
