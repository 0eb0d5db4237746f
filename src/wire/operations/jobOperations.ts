import { CONTROLLED_JOB, JOB, JOBS, JOB_MESSAGES } from '../answers/jobAnswers.ts';
import { integer, optional } from './fields.ts';
import { operations } from './operations.ts';

const ONE_JOB = '/system/jobs/{id}';
const resource = { kind: 'resource', role: 'administrator', closedWhen: 'never', fields: {} } as const;
const operation = { ...resource, kind: 'operation' } as const;

/** Available while a job runs, because jobs are controlled here. */
export const jobOperations = operations({
  list: {
    ...resource,
    answer: JOBS,
    path: '/system/jobs',
    description: 'The jobs, newest first.',
    fields: { num: optional(integer(1, 1000), 'How many at the most; 100 unless given.') },
  },
  item: {
    ...resource,
    answer: JOB,
    path: ONE_JOB,
    starterMay: true,
    description:
      'One job: its state, its progress, and what it has to say. For administrators, and for the user who started it.',
  },
  messages: {
    ...resource,
    answer: JOB_MESSAGES,
    media: 'text/event-stream',
    path: `${ONE_JOB}/messages`,
    starterMay: true,
    description:
      'What a job has to say, as it says it: server-sent events, from after Last-Event-ID on. With f it is a list.',
  },
  pause: {
    ...operation,
    answer: CONTROLLED_JOB,
    path: `${ONE_JOB}/pause`,
    description: 'Stops a job after what it is at. The system stays read-only.',
  },
  resume: { ...operation, answer: CONTROLLED_JOB, path: `${ONE_JOB}/resume`, description: 'Lets a paused job go on.' },
  cancel: {
    ...operation,
    answer: CONTROLLED_JOB,
    path: `${ONE_JOB}/cancel`,
    starterMay: true,
    description: 'Ends a job; an upgrade is put back, if it still can be.',
  },
  retry: {
    ...operation,
    answer: CONTROLLED_JOB,
    path: `${ONE_JOB}/retry`,
    description: 'Lets a job that has failed go on from the step that failed.',
  },
});
