// What the cluster says about an object that does not get on: the newest warning among its events. Only events show volumes
// that cannot be attached, and pods that a StatefulSet or a DaemonSet cannot create.
import { createBoundedCache } from '../../../foundation/boundedCache.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import { listAt, textAt } from '../api/objectFields.ts';

/** Events are asked for only if an object has waited this long, and then this often: a healthy rollout costs no request. */
const ASK_EVERY_MS = 15 * SECOND;
const MAX_KNOWN = 1000;

interface Told {
  readonly at: number;
  readonly text: string | undefined;
}

function timeOf(event: unknown): string {
  return textAt(event, 'lastTimestamp') || textAt(event, 'eventTime') || textAt(event, 'metadata', 'creationTimestamp');
}

/** The newest warning in a list of events, as `reason: message`. */
export function newestWarning(events: unknown): string | undefined {
  const [newest] = listAt(events, 'items')
    .filter((event) => textAt(event, 'type') === 'Warning')
    .toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
  return newest === undefined ? undefined : `${textAt(newest, 'reason')}: ${textAt(newest, 'message').trim()}`;
}

/** Creates the reader of warnings, by the name of the object. It is an explanation only, so it never fails. */
export function createWarnings(api: Pick<ClusterApi, 'namespace' | 'get'>, clock: Clock) {
  const told = createBoundedCache<string, Told>(MAX_KNOWN);

  async function ask(name: string, signal?: AbortSignal): Promise<string | undefined> {
    const fieldSelector = encodeURIComponent(`involvedObject.name=${name},type=Warning`);
    try {
      return newestWarning(
        await api.get(`/api/v1/namespaces/${api.namespace}/events?fieldSelector=${fieldSelector}`, signal),
      );
    } catch {
      return undefined;
    }
  }

  return async (name: string, signal?: AbortSignal): Promise<string | undefined> => {
    const now = clock.now();
    const last = told.get(name) ?? told.set(name, { at: now, text: undefined });
    if (now - last.at < ASK_EVERY_MS) return last.text;
    return told.set(name, { at: now, text: await ask(name, signal) }).text;
  };
}
