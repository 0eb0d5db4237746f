import { integer, optional } from './fields.ts';
import { operations } from './operations.ts';

const JOB = '/system/jobs/{id}';
const resource = { kind: 'resource', role: 'administrator', closedWhen: 'never', fields: {} } as const;
const operation = { ...resource, kind: 'operation' } as const;

/** Available while a job runs, because jobs are controlled here. */
export const jobOperations = operations({
  list: {
    ...resource,
    path: '/system/jobs',
    description: 'The jobs, newest first.',
    fields: { num: optional(integer(1, 1000), 'How many at the most; 100 unless given.') },
  },
  item: {
    ...resource,
    path: JOB,
    starterMay: true,
    description:
      'One job: its state, its progress, and what it has to say. For administrators, and for the user who started it.',
  },
  messages: {
    ...resource,
    path: `${JOB}/messages`,
    starterMay: true,
    description:
      'What a job has to say, as it says it: server-sent events, from after Last-Event-ID on. With f it is a list.',
  },
  pause: {
    ...operation,
    path: `${JOB}/pause`,
    description: 'Stops a job after what it is at. The system stays read-only.',
  },
  resume: { ...operation, path: `${JOB}/resume`, description: 'Lets a paused job go on.' },
  cancel: {
    ...operation,
    path: `${JOB}/cancel`,
    starterMay: true,
    description: 'Ends a job; an upgrade is put back, if it still can be.',
  },
  retry: {
    ...operation,
    path: `${JOB}/retry`,
    description: 'Lets a job that has failed go on from the step that failed.',
  },
});
