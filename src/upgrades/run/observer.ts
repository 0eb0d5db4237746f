import type { Clock } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Act, Deployment, Observation } from '../ports/deployment.ts';

/** What is observed of an act, or why it could not be observed. */
export type Sighting = Observation | { readonly state: 'unknown'; readonly reason: string };

export interface ObserverOptions {
  readonly deployment: Deployment;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Shares one observation of the deployment per interval among all that wait for an act. */
export function createObserver({ deployment, clock, everyMs, signal }: ObserverOptions) {
  let waiting: { readonly act: Act; readonly resolve: (sighting: Sighting) => void }[] = [];
  let isObserving = false;

  async function observe(acts: readonly Act[]): Promise<readonly Sighting[]> {
    try {
      return await deployment.observe(acts);
    } catch (error) {
      return acts.map(() => ({ state: 'unknown', reason: reasonOf(error) }));
    }
  }

  async function run(): Promise<void> {
    if (isObserving) return;
    isObserving = true;
    while (waiting.length > 0) {
      await clock.sleep(everyMs, signal);
      const batch = waiting;
      waiting = [];
      const sightings = signal.aborted ? [] : await observe(batch.map(({ act }) => act));
      for (const [n, { resolve }] of batch.entries())
        resolve(sightings[n] ?? { state: 'unknown', reason: 'the server stops' });
    }
    isObserving = false;
  }

  return {
    /** Resolves with the next observation of the act. */
    next: (act: Act): Promise<Sighting> =>
      new Promise((resolve) => {
        waiting.push({ act, resolve });
        void run();
      }),
  };
}

export type Observer = ReturnType<typeof createObserver>;
