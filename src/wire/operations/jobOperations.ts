import { integer, optional } from './fields.ts';
import { operations } from './operations.ts';

const one = '/system/jobs/{id}';
const noun = { kind: 'resource', role: 'administrator', closedWhen: 'never', fields: {} } as const;
const verb = { ...noun, kind: 'operation' } as const;

/** Open also while a job runs: this is where it is controlled. */
export const jobOperations = operations({
  list: {
    ...noun,
    path: '/system/jobs',
    about: 'The jobs, newest first.',
    fields: { num: optional(integer(1, 1000), 'How many at the most; 100 unless given.') },
  },
  item: { ...noun, path: one, about: 'One job: its state, its progress, and what it has to say.' },
  messages: {
    ...noun,
    path: `${one}/messages`,
    about:
      'What a job has to say, as it says it: server-sent events, from after Last-Event-ID on. With f it is a list.',
  },
  pause: { ...verb, path: `${one}/pause`, about: 'Stops a job after what it is at. The system stays read-only.' },
  resume: { ...verb, path: `${one}/resume`, about: 'Lets a paused job go on.' },
  cancel: { ...verb, path: `${one}/cancel`, about: 'Ends a job; an upgrade is put back, if it still can be.' },
  retry: { ...verb, path: `${one}/retry`, about: 'Lets a job that has failed go on from the step that failed.' },
});
