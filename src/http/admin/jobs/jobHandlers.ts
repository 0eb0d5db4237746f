import type { JobFeed } from '../../../jobs/jobFeed.ts';
import type { Job } from '../../../jobs/jobStore.ts';
import type { Jobs, Verb } from '../../../jobs/jobs.ts';
import type { Fields } from '../../../wire/operations/fields.ts';
import type { jobOperations } from '../../../wire/operations/jobOperations.ts';
import type { Call, Handlers } from '../../server/handler.ts';
import { done } from '../../server/handler.ts';
import type { MessageStreams } from './messageStream.ts';
import { stateFrame } from './messageStream.ts';
import { jobView, messageView } from './jobView.ts';

const PAGE = 100;

export function jobHandlers(jobs: Jobs, feed: JobFeed, streams: MessageStreams): Handlers<typeof jobOperations> {
  const view = (job: Job) => jobView(job, jobs.shown(job));
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
      const { job, messages } = await feed.read(path['id'] ?? '');
      return { body: { ...view(job), messages: messages.map(messageView) } };
    },

    async messages({ path }) {
      const snapshot = await feed.read(path['id'] ?? '');
      return {
        get body() {
          return { messages: snapshot.messages.map(messageView) };
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
