import type { Clock } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Act, Deployment, Observation } from '../ports/deployment.ts';

/** What is seen of an act, or why nothing is. */
export type Look = Observation | { readonly state: 'unknown'; readonly reason: string };

/** Everyone who waits for something shares one look at the deployment in each interval. */
export function createLookout(needs: {
  readonly deployment: Deployment;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}) {
  const { deployment, clock, everyMs, signal } = needs;
  let waiting: { readonly act: Act; readonly resolve: (look: Look) => void }[] = [];
  let isLooking = false;

  async function lookAt(acts: readonly Act[]): Promise<readonly Look[]> {
    try {
      return await deployment.observe(acts);
    } catch (error) {
      return acts.map(() => ({ state: 'unknown', reason: reasonOf(error) }));
    }
  }

  async function work(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (waiting.length > 0) {
      await clock.sleep(everyMs, signal);
      const batch = waiting;
      waiting = [];
      const looks = signal.aborted ? [] : await lookAt(batch.map(({ act }) => act));
      for (const [n, { resolve }] of batch.entries())
        resolve(looks[n] ?? { state: 'unknown', reason: 'the server stops' });
    }
    isLooking = false;
  }

  return {
    /** With the next look. */
    next: (act: Act): Promise<Look> =>
      new Promise((resolve) => {
        waiting.push({ act, resolve });
        void work();
      }),
  };
}

export type Lookout = ReturnType<typeof createLookout>;
