// The operations of the simulated deployment that the command line calls. They belong to the demo, which has its own table of them;
// the program starts faster without it.
import type { demoOperations } from '../../demo/demoOperations.ts';
import { integer, list, object, open, text } from '../../foundation/schema/shape.ts';
import { success } from '../../wire/answers/commonAnswers.ts';
import { integer as integerField, optional, required, text as textField } from '../../wire/fields/fields.ts';
import { operation, operations, resource } from '../../wire/operations/operations.ts';

type DemoPath<N extends keyof typeof demoOperations> = (typeof demoOperations)[N]['path'];

const FAULTS: DemoPath<'faults'> = '/demo/faults';
const REMOVE_FAULTS: DemoPath<'removeFaults'> = '/demo/faults/remove';
const SETTINGS: DemoPath<'settings'> = '/demo/settings';

/** What the command line needs of the demo. */
export const simulationOperations = operations({
  faults: {
    ...resource('administrator', 'never', object({ faults: list(open(object({ id: text(), kind: text() }))) })),
    path: FAULTS,
    description: 'Lists the injected faults of the simulated deployment, oldest first.',
  },
  remove: {
    ...operation('administrator', 'never', success({ removed: integer('How many were removed.') })),
    path: REMOVE_FAULTS,
    description: 'Removes an injected fault of the simulated deployment.',
    fields: { id: required(textField(100), 'The fault.') },
  },
  settings: {
    kind: 'settings',
    role: 'administrator',
    closedWhen: 'never',
    answer: success({ rolloutMs: integer() }),
    path: SETTINGS,
    description: 'Returns or changes the speed of the simulated deployment.',
    fields: { rolloutMs: optional(integerField(0, 3_600_000), 'How long a rollout takes, in milliseconds.') },
  },
});
