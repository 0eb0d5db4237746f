import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import type { Deployment, DriverCheck } from '../../ports/deployment.ts';

const CALL_LIMIT_MS = 10 * SECOND;
/** A registry is asked about many images in one call. */
const REGISTRY_LIMIT_MS = 60 * SECOND;
/** One request for each workload or object. */
const REHEARSAL_LIMIT_MS = 60 * SECOND;

type Call<T> = (signal: AbortSignal) => Promise<T>;

/** Gives every call to a deployment a time limit, and lets its signal end it, even if the driver ignores the signal. */
export function limitCalls(deployment: Deployment, clock: Clock): Deployment {
  async function limited<T>(caller: AbortSignal | undefined, call: Call<T>, limitMs = CALL_LIMIT_MS): Promise<T> {
    const ended = new AbortController();
    const signal = caller === undefined ? ended.signal : AbortSignal.any([caller, ended.signal]);
    const late = clock.sleep(limitMs, signal).then(() => {
      const isStopped = caller?.aborted === true;
      throw new Error(isStopped ? 'the call was stopped' : `there was no answer within ${limitMs / SECOND} s`);
    });
    try {
      return await Promise.race([call(signal), late]);
    } finally {
      ended.abort();
    }
  }

  const { withoutDone } = deployment;
  return {
    isSimulated: deployment.isSimulated,
    referenceFor: (image, checksum) => deployment.referenceFor(image, checksum),
    inventory: (caller) => limited(caller, (signal) => deployment.inventory(signal)),
    findImages: (images, caller) =>
      limited(caller, (signal) => deployment.findImages(images, signal), REGISTRY_LIMIT_MS),
    fetchObjects: (image, caller) =>
      limited(caller, (signal) => deployment.fetchObjects(image, signal), REGISTRY_LIMIT_MS),
    compareObjects: (wanted, caller) =>
      limited(caller, (signal) => deployment.compareObjects(wanted, signal), REHEARSAL_LIMIT_MS),
    get diagnostics() {
      return deployment.diagnostics.map(({ name, run }): DriverCheck => ({ name, run: (one) => limited(one, run) }));
    },
    rehearse: (acts, caller) => limited(caller, (signal) => deployment.rehearse(acts, signal), REHEARSAL_LIMIT_MS),
    ...(withoutDone !== undefined && {
      withoutDone: (failure, caller) => limited(caller, (signal) => withoutDone(failure, signal)),
    }),
    // A takeover that does not finish goes on where it was when it is repeated.
    takeOver: (fence, caller, objects) => limited(caller, (signal) => deployment.takeOver(fence, signal, objects)),
    begin: (act, fence, caller) => limited(caller, (signal) => deployment.begin(act, fence, signal)),
    observe: (acts, caller) => limited(caller, (signal) => deployment.observe(acts, signal)),
    abandon: (act, fence, caller) => limited(caller, (signal) => deployment.abandon(act, fence, signal)),
    showMode: (mode, caller) => limited(caller, (signal) => deployment.showMode(mode, signal)),
    rehearseMode: (caller) => limited(caller, (signal) => deployment.rehearseMode(signal)),
    record: (note, caller) => limited(caller, (signal) => deployment.record(note, signal)),
  };
}
