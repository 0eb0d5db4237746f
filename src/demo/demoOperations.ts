// The operations below {root}/demo. The server has them only if the deployment is simulated.
import {
  ADDED_FAULT,
  DEMO_SETTINGS,
  DEPLOYMENT,
  FAULT_LIST,
  FAULT_NAMES,
  FILLED,
  LICENCE,
  REMOVED_FAULTS,
} from './demoAnswers.ts';
import { VERSIONS } from '../wire/answers/upgradeAnswers.ts';
import { ADDRESS_LIST, SUCCESS } from '../wire/answers/commonAnswers.ts';
import { HOOKS } from '../model/hook.ts';
import { DATABASE_PHASES } from '../model/workload.ts';
import { inventoryDocument } from './deployment/inventoryDocument.ts';
import { boolean, choice, integer, required, optional, text } from '../wire/operations/fields.ts';
import { operations } from '../wire/operations/operations.ts';

const MAX_MS = 3_600_000;
const administrators = { role: 'administrator', closedWhen: 'never' } as const;

function duration(description: string) {
  return optional(integer(0, MAX_MS), `${description}, in milliseconds. What is under way keeps its pace.`);
}

export const demoOperations = operations({
  index: {
    ...administrators,
    kind: 'resource',
    answer: ADDRESS_LIST,
    path: '/demo',
    description: 'What there is below this address: the simulated deployment, its settings and its faults.',
    fields: {},
  },
  deployment: {
    ...administrators,
    kind: 'resource',
    answer: DEPLOYMENT,
    path: '/demo/deployment',
    description: 'The simulated deployment: all that is in it, and what is being rolled out.',
    fields: {},
  },
  reset: {
    ...administrators,
    kind: 'operation',
    answer: SUCCESS,
    path: '/demo/deployment/reset',
    description: 'Puts the simulated deployment back to what it was at first; faults and settings too.',
    fields: {},
  },
  fill: {
    ...administrators,
    kind: 'operation',
    answer: FILLED,
    path: '/demo/deployment/fill',
    fillsDisk: true,
    description:
      'Puts another deployment in place of the simulated one, for a rehearsal. Faults are removed, settings kept.',
    fields: {
      inventory: required(
        inventoryDocument,
        'As text or file: what this resource answers, or what kubectl get deployments,statefulsets -o json prints.',
      ),
    },
  },
  settings: {
    ...administrators,
    kind: 'settings',
    answer: DEMO_SETTINGS,
    path: '/demo/settings',
    description: 'How fast the simulated deployment is.',
    fields: {
      rolloutMs: duration('How long a rollout takes, for each workload from 60 % to 140 % of it'),
      hookMs: duration('How long a hook takes'),
      databaseMs: duration('How long a phase of the database takes, and the engine four times that'),
    },
  },
  faults: {
    ...administrators,
    kind: 'resource',
    answer: FAULT_LIST,
    path: '/demo/faults',
    description: 'The faults that were put in, oldest first, and how often each has struck.',
    fields: {},
  },
  addFault: {
    ...administrators,
    kind: 'operation',
    answer: ADDED_FAULT,
    path: '/demo/faults/add',
    description: 'Puts a fault in. It strikes what is begun from now on.',
    fields: {
      kind: required(choice(FAULT_NAMES), 'What goes wrong.'),
      workload: optional(text(317), 'The workload that it strikes; each unless given.'),
      phase: optional(choice(DATABASE_PHASES), 'The phase that databaseDown strikes; engine unless given.'),
      hook: optional(choice(HOOKS), 'The hook that hookFails strikes; each unless given.'),
      seconds: optional(integer(1, 86_400), 'How long nodeLost or apiErrors lasts; 5 unless given.'),
      times: optional(integer(1, 1_000_000), 'How often it strikes; until it is removed unless given.'),
    },
  },
  removeFaults: {
    ...administrators,
    kind: 'operation',
    answer: REMOVED_FAULTS,
    path: '/demo/faults/remove',
    description: 'Removes a fault, or all. What has failed stays so until it is begun again.',
    fields: {
      id: optional(text(100), 'The fault.'),
      all: optional(boolean, 'Whether to remove all of them.'),
    },
  },
  manifest: {
    ...administrators,
    kind: 'resource',
    answer: VERSIONS,
    path: '/demo/manifest',
    description: 'A version manifest for the simulated deployment, to be imported.',
    fields: {},
  },
  licence: {
    ...administrators,
    kind: 'resource',
    answer: LICENCE,
    path: '/demo/licence',
    description: 'A licence for the simulated deployment, valid for 30 days from now, to be uploaded.',
    fields: {},
  },
});
