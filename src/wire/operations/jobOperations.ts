import { CONTROLLED_JOB, JOB, JOBS, JOB_MESSAGES } from '../answers/jobAnswers.ts';
import { AFTER_FAILURE } from '../../model/mode.ts';
import { choice, integer, optional } from '../fields/fields.ts';
import { operation, operations, resource } from './operations.ts';

/** Of an upgrade and of its retry. */
export const AFTER_FAILURE_FIELD = optional(
  choice(AFTER_FAILURE),
  'What happens to read-only mode after a failure that leaves the system between two versions: `readOnly` (the default of an upgrade; a retry without the field keeps the choice before it) keeps it until a retry or adopt succeeds or a person ends it, `open` ends it if a database instance accepts writes.',
);

const ONE_JOB = '/system/jobs/{id}';

/** Available while a job runs, because jobs are controlled here. */
export const jobOperations = operations({
  list: {
    ...resource('administrator', 'never', JOBS),
    path: '/system/jobs',
    description: 'Lists the jobs, newest first.',
    fields: { num: optional(integer(1, 1000), 'The maximum number of results. Default 100.') },
  },
  item: {
    ...resource('administrator', 'never', JOB),
    path: ONE_JOB,
    starterMay: true,
    description:
      'Returns one job with its state, progress and messages. For administrators, and for the user who started it.',
  },
  messages: {
    ...resource('administrator', 'never', JOB_MESSAGES),
    media: 'text/event-stream',
    path: `${ONE_JOB}/messages`,
    starterMay: true,
    description:
      'Streams the messages of a job as server-sent events, starting after Last-Event-ID. With f, returns them as a list.',
  },
  pause: {
    ...operation('administrator', 'never', CONTROLLED_JOB),
    path: `${ONE_JOB}/pause`,
    description: 'Pauses a job when its running work is done. The system stays in read-only mode.',
  },
  resume: {
    ...operation('administrator', 'never', CONTROLLED_JOB),
    path: `${ONE_JOB}/resume`,
    description: 'Resumes a paused job.',
  },
  cancel: {
    ...operation('administrator', 'never', CONTROLLED_JOB),
    path: `${ONE_JOB}/cancel`,
    starterMay: true,
    description: 'Cancels a job. An upgrade is rolled back; after the point of no return it cannot be cancelled.',
  },
  retry: {
    ...operation('administrator', 'never', CONTROLLED_JOB),
    path: `${ONE_JOB}/retry`,
    description: 'Continues a failed job from the step that failed.',
    fields: { afterFailure: AFTER_FAILURE_FIELD },
  },
});
