// What the cluster says about an object that does not get on: the newest warning among its events. Only events show volumes
// that cannot be attached, and pods that a StatefulSet or a DaemonSet cannot create.
import type { Clock } from '../../../foundation/clock.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import { listAt, textAt } from '../api/objectFields.ts';
import { createSlowReader } from './slowReader.ts';

/** The object whose events are read. Another kind, or an earlier object, may have the same name. */
export interface EventSubject {
  readonly kind: string;
  readonly name: string;
  readonly uid: string | undefined;
  /** When the object, or its rollout, began: earlier events do not explain it. */
  readonly since: number;
}

function timeOf(event: unknown): string {
  return (
    textAt(event, 'series', 'lastObservedTime') ||
    textAt(event, 'lastTimestamp') ||
    textAt(event, 'eventTime') ||
    textAt(event, 'metadata', 'creationTimestamp')
  );
}

/** Warnings that only repeat that there was one before: the reason is in an earlier event. */
const VAGUE = /^(?:Error: \w+|Back-off .*)$/;

/** Why Kubernetes has ended a container: a probe. The log does not tell it. */
export const ENDED_BY_PROBE = /(?:liveness|startup) probe/i;
/** A container that a probe ends is not ready either, and this warning comes later. */
const READINESS = /^Readiness probe/;

function saying(pattern: RegExp): (event: unknown) => boolean {
  return (event) => pattern.test(textAt(event, 'message'));
}

/** The newest warning in a list of events that is not older than this time, as `reason: message`. */
export function newestWarning(events: unknown, since = 0): string | undefined {
  // The time of an event has no fractions of a second.
  const notBefore = since - (since % 1000);
  const warnings = listAt(events, 'items')
    .filter((event) => textAt(event, 'type') === 'Warning' && !(Date.parse(timeOf(event)) < notBefore))
    .toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
  const telling = warnings.filter((event) => !VAGUE.test(textAt(event, 'message').trim()));
  const ending = telling.slice(0, 1).some(saying(READINESS)) ? telling.find(saying(ENDED_BY_PROBE)) : undefined;
  const newest = ending ?? telling[0] ?? warnings[0];
  return newest === undefined ? undefined : `${textAt(newest, 'reason')}: ${textAt(newest, 'message').trim()}`;
}

/** Reads the newest warning about an object now. It is an explanation only, so it never fails. */
export async function readWarning(
  api: Pick<ClusterApi, 'namespace' | 'get'>,
  { kind, name, uid, since }: EventSubject,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const object = [`kind=${kind}`, `name=${name}`, ...(uid === undefined ? [] : [`uid=${uid}`])];
  const fields = [...object.map((one) => `involvedObject.${one}`), 'type=Warning'].join(',');
  const path = `/api/v1/namespaces/${api.namespace}/events?fieldSelector=${encodeURIComponent(fields)}`;
  try {
    return newestWarning(await api.get(path, signal), since);
  } catch {
    return undefined;
  }
}

/** Creates the reader of warnings, which asks only for an object that has waited, and then not often. */
export function createWarnings(api: Pick<ClusterApi, 'namespace' | 'get'>, clock: Clock) {
  const read = createSlowReader<string | undefined>(clock, undefined);
  return (subject: EventSubject, signal?: AbortSignal): Promise<string | undefined> =>
    read(`${subject.kind}/${subject.name}/${subject.uid}/${subject.since}`, () => readWarning(api, subject, signal));
}
