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
    description: 'Returns or sets read-only mode. In this mode writes return 503; reads and tokens continue to work.',
    fields: {
      isReadOnly: optional(boolean, 'Whether the system is in read-only mode.'),
      message: optional(text(1000), 'The text that rejected writes return.'),
    },
  },
});
