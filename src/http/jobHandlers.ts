import type { Job } from '../jobs/jobStore.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { jobOperations } from '../wire/webhookOperations.ts';
import type { Handlers } from './call.ts';
import { done } from './call.ts';

const PAGE = 100;

function view({ id, kind, state, task, done: count, total, isCancelled, startedBy, started, ended }: Job) {
  const progress = { done: count, total };
  return {
    id,
    kind,
    state,
    task,
    progress,
    cancelling: isCancelled && state === 'running',
    startedBy,
    started,
    ended: ended ?? null,
  };
}

export function jobHandlers(jobs: Jobs): Handlers<typeof jobOperations> {
  return {
    async list({ fields: { num = PAGE } }) {
      return { body: { jobs: (await jobs.list(num)).map(view) } };
    },

    async item({ path }) {
      const { job, entries } = await jobs.read(path['id'] ?? '');
      return { body: { ...view(job), messages: entries } };
    },

    async cancel({ actor, path }) {
      const id = path['id'] ?? '';
      await jobs.cancel(actor, id);
      return done({ jobId: id });
    },
  };
}
