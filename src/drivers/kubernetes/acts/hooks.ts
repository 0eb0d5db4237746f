// Hooks are Jobs: a suspended CronJob that is labelled with the step is the template.
import { createHash } from 'node:crypto';
import type { Clock } from '../../../foundation/clock.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import type { Hook } from '../../../model/hook.ts';
import { HOOKS } from '../../../model/hook.ts';
import type { Abandoned, Begun, HookAct, Observation } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { asRefusal, isApiConflict } from '../api/apiError.ts';
import { conditionOf, textAt } from '../api/objectFields.ts';
import { podOf } from '../rollout/pods.ts';
import { createSlowReader } from '../rollout/slowReader.ts';
import { explained, troublesOf } from '../rollout/trouble.ts';
import { fenceOf } from './images.ts';
import { ANNOTATIONS, FIELD_MANAGER, LABELS } from '../workloads/labels.ts';

const MAX_LINES = 20;

/** A name that Kubernetes allows, the same for every try of one run. */
function jobNameOf({ hook, run }: HookAct): string {
  return `steward-${hook}-${createHash('sha256').update(run).digest('hex').slice(0, 12)}`;
}

/** The hooks that a deployment has: its labelled CronJobs. */
export function hooksIn(templates: readonly { readonly object: ClusterObject }[]): readonly Hook[] {
  const labels = new Set(templates.map(({ object }) => object.metadata.labels?.[LABELS.hook]));
  return HOOKS.filter((hook) => labels.has(hook));
}

/** The Job of a hook. It has no time to live: its result must be there when it is observed, also after an outage. */
function jobOf(act: HookAct, cronJob: ClusterObject, fence: number, installation: string): ClusterObject {
  const template = valueAt(cronJob.spec, 'jobTemplate', 'spec');
  const { ttlSecondsAfterFinished: _, ...spec } = isObject(template) ? template : {};
  const labels = { [LABELS.hook]: act.hook, [LABELS.managedBy]: FIELD_MANAGER };
  const annotations = {
    [ANNOTATIONS.fence]: String(fence),
    [ANNOTATIONS.installation]: installation,
    [ANNOTATIONS.run]: act.run,
  };
  return { kind: 'Job', metadata: { name: jobNameOf(act), labels, annotations }, spec };
}

function isTrue(job: ClusterObject, type: string): boolean {
  return textAt(conditionOf(job, type), 'status') === 'True';
}

function newestFirst({ metadata: one }: ClusterObject, { metadata: other }: ClusterObject): number {
  return (other.creationTimestamp ?? '').localeCompare(one.creationTimestamp ?? '');
}

/** The number of ended Jobs of a hook that are kept, for people who look at them. */
const KEPT_JOBS = 3;

export function createHookRuns(api: ClusterApi, clock: Clock) {
  const linesOf = createSlowReader<readonly string[]>(clock, []);

  /** Removes old Jobs of a hook. They have no time to live, so nothing else does. */
  async function removeOldJobs(hook: Hook, signal?: AbortSignal): Promise<void> {
    const { items } = await api.list('Job', `${LABELS.hook}=${hook},${LABELS.managedBy}=${FIELD_MANAGER}`, signal);
    const ended = items.filter((job) => isTrue(job, 'Complete') || isTrue(job, 'Failed')).toSorted(newestFirst);
    for (const { metadata } of ended.slice(KEPT_JOBS)) await api.remove('Job', metadata.name, metadata.uid, signal);
  }

  async function cronJobOf(hook: Hook, signal?: AbortSignal): Promise<ClusterObject | undefined> {
    const { items } = await api.list('CronJob', `${LABELS.hook}=${hook}`, signal);
    return items[0];
  }

  async function lastLines(job: string, signal?: AbortSignal): Promise<readonly string[]> {
    const { items } = await api.list('Pod', `job-name=${job}`, signal);
    const [newest] = items.toSorted(newestFirst);
    const container = newest && podOf(newest).containers.find(({ isInit }) => !isInit)?.name;
    return newest === undefined || container === undefined
      ? []
      : api.log(newest.metadata.name, container, MAX_LINES, false, signal);
  }

  /** What a Job does that has not ended. At the time limit, its last log lines may say why. */
  async function running(job: string, signal?: AbortSignal): Promise<Observation> {
    const { items } = await api.list('Pod', `job-name=${job}`, signal);
    const [trouble] = items.map(podOf).flatMap(troublesOf);
    const lines = await linesOf(job, () => lastLines(job, signal).catch(() => []));
    const detail = trouble === undefined ? `the Job ${job} runs` : `the Job ${job} runs; ${explained(trouble.text)}`;
    if (trouble === undefined && lines.length === 0) return { state: 'running', detail };
    const reason = `the Job ${job} runs and has not ended${trouble === undefined ? '' : `; ${trouble.text.replace(/\.$/, '')}`}.`;
    const advice = trouble?.advice ?? 'Read the last log lines of the hook, and correct what keeps it from ending.';
    return { state: 'running', detail, trouble: { reason, lines, advice } };
  }

  return {
    async begin(act: HookAct, fence: number, signal?: AbortSignal): Promise<Begun> {
      const cronJob = await cronJobOf(act.hook, signal);
      if (cronJob === undefined)
        return {
          kind: 'refused',
          failure: {
            reason: `There is no CronJob with the label ${LABELS.hook}=${act.hook}.`,
            lines: [],
            advice: 'Create it again, or plan again without this hook.',
          },
        };
      if (fenceOf(cronJob, api) > fence) return { kind: 'overtaken' };
      try {
        await api.create(jobOf(act, cronJob, fence, api.installation), signal);
      } catch (error) {
        // It was begun before.
        if (!isApiConflict(error)) throw asRefusal(error, `the Job of the hook ${act.hook}`);
      }
      await removeOldJobs(act.hook, signal);
      return { kind: 'begun' };
    },

    async observe(act: HookAct, signal?: AbortSignal): Promise<Observation> {
      const name = jobNameOf(act);
      const job = await api.read('Job', name, signal);
      if (job === undefined) return { state: 'absent' };
      if (isTrue(job, 'Complete')) return { state: 'done', lines: await lastLines(name, signal) };
      if (!isTrue(job, 'Failed')) return running(name, signal);
      const why = textAt(conditionOf(job, 'Failed'), 'message') || 'no reason was given';
      return {
        state: 'failed',
        failure: {
          reason: `The Job ${name} of the hook ${act.hook} has failed: ${why}.`,
          lines: await lastLines(name, signal),
          advice: `Correct what the log lines name. The template is the CronJob with the label ${LABELS.hook}=${act.hook}.`,
        },
      };
    },

    async abandon(act: HookAct, fence: number, signal?: AbortSignal): Promise<Abandoned> {
      const name = jobNameOf(act);
      const job = await api.read('Job', name, signal);
      if (job === undefined) return { kind: 'left', reason: `the Job ${name} does not exist any more` };
      if (fenceOf(job, api) > fence) return { kind: 'left', reason: 'another server has taken over the job' };
      await api.remove('Job', name, job.metadata.uid, signal);
      return { kind: 'stopped' };
    },
  };
}
