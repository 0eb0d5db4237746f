import { operations } from './operations.ts';

export const rootOperations = operations({
  index: {
    kind: 'resource',
    path: '',
    role: 'viewer',
    closedWhen: 'never',
    description: 'What there is below this address.',
    fields: {},
  },
});
