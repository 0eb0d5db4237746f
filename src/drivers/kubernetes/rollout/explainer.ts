// Explains why a rollout still runs or has failed, by what the objects of the rollout do not tell: events, logs, quotas and nodes.
// At the time limit the explanation is the cause that a person reads, and the pods are gone soon after it.
import type { Clock } from '../../../foundation/clock.ts';
import { valueAt } from '../../../foundation/schema/json.ts';
import type { Failure } from '../../../model/failure.ts';
import type { Observation } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import { textAt } from '../api/objectFields.ts';
import { createWarnings, ENDED_BY_PROBE, readWarning } from './objectEvents.ts';
import type { ObservedRollout } from './observeRollout.ts';
import { createSlowReader } from './slowReader.ts';
import type { PodTrouble } from './trouble.ts';
import { explained, remedyOf } from './trouble.ts';

const MAX_LOG_LINES = 20;
const MAX_LOG_LOOKS = 4;
const LOG_LOOK_MS = 500;

const OVER_QUOTA = /exceeded quota: ([^,\s]+)/;
const CORDONED = /were unschedulable|node\.kubernetes\.io\/unschedulable/;

/** Joins what is known, without what is said already. */
function joined(parts: readonly (string | undefined)[]): string {
  const told: string[] = [];
  for (const part of parts.map((one) => one?.trim().replace(/\.+$/, '')))
    if (part !== undefined && part !== '' && !told.some((one) => one.includes(part))) told.push(part);
  return told.join('; ');
}

export function createExplainer(api: ClusterApi, clock: Clock) {
  const warningOf = createWarnings(api, clock);
  const linesOf = createSlowReader<readonly string[]>(clock, []);
  const findingOf = createSlowReader<string | undefined>(clock, undefined, true);

  /**
   * The last lines of a container that ends again and again. Right after a restart the log of the former run may be removed
   * and the new run may have written nothing yet, so it looks a few times.
   */
  async function lastLines(pod: string, container: string, signal?: AbortSignal): Promise<readonly string[]> {
    for (let looks = 1; looks <= MAX_LOG_LOOKS; looks += 1) {
      for (const isPrevious of [true, false]) {
        const lines = await api.log(pod, container, MAX_LOG_LINES, isPrevious, signal);
        if (lines.length > 0) return lines;
      }
      await clock.sleep(LOG_LOOK_MS, signal);
    }
    return [];
  }

  /** The lines of a container that still runs, or has ended once or twice. They explain only, so reading them never fails. */
  function slowLines({ pod, container, hasLog }: PodTrouble, signal?: AbortSignal): Promise<readonly string[]> {
    if (!hasLog || container === undefined) return Promise.resolve([]);
    const read = async (): Promise<readonly string[]> => {
      const now = await api.log(pod, container, MAX_LOG_LINES, false, signal);
      return now.length > 0 ? now : api.log(pod, container, MAX_LOG_LINES, true, signal);
    };
    return linesOf(`${pod}/${container}`, () => read().catch(() => []));
  }

  /** How much of a quota is used: the message of the server tells only what was asked for then. */
  async function quotaText(name: string, signal?: AbortSignal): Promise<string | undefined> {
    const { items } = await api.list('ResourceQuota', undefined, signal);
    const quota = items.find(({ metadata }) => metadata.name === name);
    const hard = Object.entries(Object(valueAt(quota?.status, 'hard')));
    const parts = hard.map(
      ([part, limit]) => `${part} used ${textAt(quota?.status, 'used', part) || '0'}, hard ${String(limit)}`,
    );
    return parts.length === 0 ? undefined : `the quota ${name} has ${parts.join('; ')}`;
  }

  async function cordonedText(signal?: AbortSignal): Promise<string | undefined> {
    const { items } = await api.list('Node', undefined, signal);
    const names = items
      .filter(({ spec }) => valueAt(spec, 'unschedulable') === true)
      .map(({ metadata }) => metadata.name);
    return names.length === 0 ? undefined : `cordoned: ${names.join(', ')}`;
  }

  /** What explains the text of a trouble further. A right that is missing explains nothing, and is not needed. */
  function finding(text: string, signal?: AbortSignal): Promise<string | undefined> {
    const quota = OVER_QUOTA.exec(text)?.[1];
    if (quota !== undefined) return findingOf(`quota ${quota}`, () => quotaText(quota, signal).catch(() => undefined));
    if (CORDONED.test(text)) return findingOf('nodes', () => cordonedText(signal).catch(() => undefined));
    return Promise.resolve(undefined);
  }

  async function runningWithMore(observed: ObservedRollout, signal?: AbortSignal): Promise<Observation> {
    const { observation, trouble, said, waiting, missing = '' } = observed;
    if (observation.state !== 'running' || waiting === undefined) return observation;
    const warning = await warningOf(waiting, signal);
    // The scheduler reports its reason as an event, too.
    const isNew = warning !== undefined && !(trouble !== undefined && /^(?:FailedScheduling|BackOff):/.test(warning));
    const why = joined([trouble?.text ?? said, isNew ? warning : undefined]);
    const more = why === '' ? undefined : await finding(why, signal);
    const lines = trouble === undefined ? [] : await slowLines(trouble, signal);
    if (why === '') return observation;
    const cause = joined([why, more]);
    const advice = remedyOf(cause) ?? trouble?.advice ?? `Look at ${waiting.kind} ${waiting.name}: kubectl describe.`;
    const failure: Failure = { reason: `${missing}; ${cause}.`, lines, advice };
    return { ...observation, detail: `${missing}; ${explained(cause)}`, trouble: failure };
  }

  return async (observed: ObservedRollout, signal?: AbortSignal): Promise<Observation> => {
    const { observation, trouble, waiting } = observed;
    if (observation.state !== 'failed') return runningWithMore(observed, signal);
    if (trouble?.hasLog !== true || trouble.container === undefined) return observation;
    const { failure } = observation;
    const lines = await lastLines(trouble.pod, trouble.container, signal);
    const warning = waiting && (await readWarning(api, waiting, signal));
    if (warning === undefined || !ENDED_BY_PROBE.test(warning))
      return { ...observation, failure: { ...failure, lines } };
    const reason = `${failure.reason.replace(/\.$/, '')}; ${warning.replace(/\.$/, '')}.`;
    return { ...observation, failure: { reason, lines, advice: remedyOf(warning) ?? failure.advice } };
  };
}
