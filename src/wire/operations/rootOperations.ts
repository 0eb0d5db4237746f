import { ADDRESS_LIST } from '../answers/commonAnswers.ts';
import { operations, resource } from './operations.ts';

/** The addresses that only list what is below them. */
export const rootOperations = operations({
  index: {
    ...resource('viewer', 'never', ADDRESS_LIST),
    path: '',
    description: 'Lists the addresses below this one.',
  },
  security: {
    ...resource('administrator', 'never', ADDRESS_LIST),
    path: '/security',
    description: 'Lists the addresses below this one: users, tokens and the audit log.',
  },
  system: {
    ...resource('administrator', 'never', ADDRESS_LIST),
    path: '/system',
    description: 'Lists the addresses below this one: upgrades, jobs and the system webhooks.',
  },
});
