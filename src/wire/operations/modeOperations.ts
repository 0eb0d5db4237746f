import { MODE } from '../answers/systemAnswers.ts';
import { boolean, optional, text } from './fields.ts';
import { operations } from './operations.ts';

export const modeOperations = operations({
  mode: {
    kind: 'settings',
    answer: MODE,
    path: '/mode',
    role: 'viewer',
    changeRole: 'administrator',
    closedWhen: 'never',
    description: 'Read-only mode: writes answer 503, reads and tokens go on.',
    fields: {
      isReadOnly: optional(boolean, 'Whether the system is read-only.'),
      message: optional(text(1000), 'What to tell those whose writes are refused.'),
    },
  },
});
