import type { JobFeed } from '../../../jobs/jobFeed.ts';
import type { Job } from '../../../jobs/jobStore.ts';
import type { Jobs, Verb } from '../../../jobs/jobs.ts';
import type { Fields } from '../../../wire/operations/fields.ts';
import type { jobOperations } from '../../../wire/operations/jobOperations.ts';
import type { Call, Handlers } from '../../server/handler.ts';
import { done } from '../../server/handler.ts';
import type { MessageStreams } from './messageStream.ts';
import { stateFrame } from './messageStream.ts';
import { messageView } from '../upgrades/upgradeStatus.ts';

const PAGE = 100;

export function jobHandlers(needs: {
  readonly jobs: Jobs;
  readonly feed: JobFeed;
  readonly streams: MessageStreams;
}): Handlers<typeof jobOperations> {
  const { jobs, feed, streams } = needs;

  function view(job: Job) {
    const { id, kind, state, phase, isCancelled, isPausing, startedBy, started, endsAt, ended } = job;
    return {
      id,
      kind,
      state,
      ...jobs.shown(job),
      phase,
      progress: { done: job.done, total: job.total },
      pausing: isPausing,
      cancelling: isCancelled && state === 'running',
      startedBy,
      started,
      estimatedEnd: ended ?? (state === 'paused' ? null : (endsAt ?? null)),
      ended: ended ?? null,
    };
  }

  const stateOf = stateFrame(view);

  const control =
    (verb: Verb) =>
    async ({ actor, path }: Call<Fields>) => {
      const id = path['id'] ?? '';
      await jobs.control(actor, id, verb);
      feed.invalidate();
      return done({ jobId: id });
    };

  return {
    async list({ fields: { num = PAGE } }) {
      return { body: { jobs: (await jobs.list(num)).map(view) } };
    },

    async item({ path }) {
      const { job, entries } = await feed.read(path['id'] ?? '');
      return { body: { ...view(job), messages: entries.map(messageView) } };
    },

    async messages({ path }) {
      const snapshot = await feed.read(path['id'] ?? '');
      return {
        get body() {
          return { messages: snapshot.entries.map(messageView) };
        },
        stream: streams.stream(feed, snapshot, stateOf),
      };
    },

    pause: control('pause'),
    resume: control('resume'),
    cancel: control('cancel'),
    retry: control('retry'),
  };
}
