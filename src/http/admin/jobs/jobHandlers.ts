import type { Access } from '../../../access/access.ts';
import type { Job } from '../../../jobs/jobStore.ts';
import type { Verb } from '../../../jobs/jobs.ts';
import { refuseStranger } from '../../../jobs/jobs.ts';
import type { Fields } from '../../../wire/fields/fields.ts';
import type { jobOperations } from '../../../wire/operations/jobOperations.ts';
import type { Areas } from '../../areas.ts';
import type { Call, Handlers } from '../../server/handler.ts';
import { done } from '../../server/handler.ts';
import type { MessageStreams, TokenWatch } from './messageStream.ts';
import { stateFrame } from './messageStream.ts';
import { jobView, listedJob, steppedMessage } from './jobView.ts';

const PAGE = 100;

interface JobHandlerDependencies extends Pick<Areas, 'jobs' | 'feed'> {
  readonly streams: MessageStreams;
  readonly tokens: Pick<Access['tokens'], 'watch'>;
}

export function jobHandlers(dependencies: JobHandlerDependencies): Handlers<typeof jobOperations> {
  const { jobs, feed, streams, tokens } = dependencies;
  const view = (job: Job) => jobView(job, jobs.shown(job));
  const stateOf = stateFrame(view);

  const control =
    (verb: Verb) =>
    async ({ actor, path, fields }: Call<Fields & Partial<typeof jobOperations.retry.fields>>) => {
      const id = path['id'] ?? '';
      await jobs.control(actor, id, verb, fields);
      feed.invalidate();
      return done({ jobId: id });
    };

  return {
    async list({ fields: { num = PAGE } }) {
      return { body: { jobs: (await jobs.list(num)).map((job) => listedJob(view(job))) } };
    },

    async item({ path }) {
      const { job, messages } = await feed.current(path['id'] ?? '');
      return { body: { ...view(job), messages: messages.map(steppedMessage) } };
    },

    async messages({ path, credential, caller }) {
      const snapshot = await feed.current(path['id'] ?? '');
      const watch: TokenWatch = (onEnd) =>
        tokens.watch(credential.secret, caller, (actor) => refuseStranger(actor, snapshot.job), onEnd);
      return {
        get body() {
          return { messages: snapshot.messages.map(steppedMessage) };
        },
        stream: streams.stream(feed, snapshot, stateOf, watch),
      };
    },

    pause: control('pause'),
    resume: control('resume'),
    cancel: control('cancel'),
    retry: control('retry'),
  };
}
