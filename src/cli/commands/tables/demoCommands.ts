// The faults of a simulated deployment. Their operations belong to the demo, which has its own table of them.
import { integer, list, object, open, text } from '../../../foundation/schema/shape.ts';
import { success } from '../../../wire/answers/commonAnswers.ts';
import { required, text as textField } from '../../../wire/fields/fields.ts';
import { operations } from '../../../wire/operations/operations.ts';
import type { RemoteCommand } from '../remoteCommand.ts';
import { done, table } from '../views.ts';

const administrators = { role: 'administrator', closedWhen: 'never' } as const;

const faultOperations = operations({
  faults: {
    ...administrators,
    kind: 'resource',
    answer: object({ faults: list(open(object({ id: text(), kind: text() }))) }),
    path: '/demo/faults',
    description: 'Lists the injected faults of the simulated deployment, oldest first.',
    fields: {},
  },
  remove: {
    ...administrators,
    kind: 'operation',
    answer: success({ removed: integer('How many were removed.') }),
    path: '/demo/faults/remove',
    description: 'Removes an injected fault of the simulated deployment.',
    fields: { id: required(textField(100), 'The fault.') },
  },
});

export const DEMO_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'faults ls',
    operation: faultOperations.faults,
    example: 'faults ls',
    view: table('faults', 'id', ['id', 'kind', 'workload', 'phase', 'hook', 'struck'], 'There is no fault.'),
  },
  {
    words: 'faults rm',
    operation: faultOperations.remove,
    arguments: ['id'],
    example: 'faults rm 01JC',
    view: done('The fault is removed.'),
  },
];
