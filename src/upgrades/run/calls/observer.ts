import type { Clock } from '../../../foundation/clock.ts';
import { reasonOf } from '../../../foundation/errors.ts';
import type { BegunAct, Deployment, Observation } from '../../ports/deployment.ts';
import type { Remedy } from '../../../model/failure.ts';
import { DeploymentOutage, DeploymentRefusal } from '../../../model/failure.ts';

/** An observation, with what the driver advises if the deployment did not answer. */
type Observed = Observation & { readonly remedy?: Remedy | undefined };

export interface ObserverOptions {
  readonly deployment: Deployment;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Shares one observation of the deployment per interval among all that wait for an act. */
export function createObserver({ deployment, clock, everyMs, signal }: ObserverOptions) {
  let waiting: { readonly act: BegunAct; readonly resolve: (seen: Observed) => void }[] = [];
  let isObserving = false;

  async function observe(acts: readonly BegunAct[]): Promise<readonly Observed[]> {
    try {
      return await deployment.observe(acts, signal);
    } catch (error) {
      if (error instanceof DeploymentRefusal) return acts.map(() => ({ state: 'failed', failure: error.failure }));
      const remedy = error instanceof DeploymentOutage ? error.remedy : undefined;
      return acts.map(() => ({ state: 'unknown', reason: reasonOf(error), remedy }));
    }
  }

  async function run(): Promise<void> {
    if (isObserving) return;
    isObserving = true;
    while (waiting.length > 0) {
      await clock.sleep(everyMs, signal);
      const batch = waiting;
      waiting = [];
      const seen = signal.aborted ? [] : await observe(batch.map(({ act }) => act));
      for (const [n, { resolve }] of batch.entries())
        resolve(seen[n] ?? { state: 'unknown', reason: 'the server stops' });
    }
    isObserving = false;
  }

  return {
    /** Resolves with the next observation of the act. */
    next: (act: BegunAct): Promise<Observed> =>
      new Promise((resolve) => {
        waiting.push({ act, resolve });
        void run();
      }),
  };
}

export type Observer = ReturnType<typeof createObserver>;
