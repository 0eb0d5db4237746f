import { ADDRESS_LIST } from '../answers/commonAnswers.ts';
import { operations } from './operations.ts';

const index = { kind: 'resource', closedWhen: 'never', fields: {} } as const;

/** The addresses that only list what is below them. */
export const rootOperations = operations({
  index: {
    ...index,
    answer: ADDRESS_LIST,
    path: '',
    role: 'viewer',
    description: 'Lists the addresses below this one.',
  },
  security: {
    ...index,
    answer: ADDRESS_LIST,
    path: '/security',
    role: 'administrator',
    description: 'Lists the addresses below this one: users, tokens and the audit log.',
  },
  system: {
    ...index,
    answer: ADDRESS_LIST,
    path: '/system',
    role: 'administrator',
    description: 'Lists the addresses below this one: upgrades, jobs and the system webhooks.',
  },
});
