// The operations below {root}/demo. The server has them only if the deployment is simulated.
import * as answers from './demoAnswers.ts';
import { VERSIONS } from '../wire/answers/upgradeAnswers.ts';
import { ADDRESS_LIST, SUCCESS } from '../wire/answers/commonAnswers.ts';
import { HOOKS } from '../model/hook.ts';
import { DATABASE_PHASES } from '../model/workload.ts';
import { inventoryDocument } from './deployment/inventoryDocument.ts';
import { boolean, choice, integer, required, optional, text } from '../wire/fields/fields.ts';
import { operation, operations, resource } from '../wire/operations/operations.ts';

const MAX_MS = 3_600_000;

function duration(description: string) {
  return optional(integer(0, MAX_MS), `${description}, in milliseconds. Running work keeps its speed.`);
}

export const demoOperations = operations({
  index: {
    ...resource('administrator', 'never', ADDRESS_LIST),
    path: '/demo',
    description: 'Lists the addresses below this one: the simulated deployment, its settings and its faults.',
  },
  deployment: {
    ...resource('administrator', 'never', answers.DEPLOYMENT),
    path: '/demo/deployment',
    description: 'Returns the simulated deployment with all its parts and running rollouts.',
  },
  reset: {
    ...operation('administrator', 'never', SUCCESS),
    path: '/demo/deployment/reset',
    description: 'Resets the simulated deployment, its faults and its settings.',
  },
  fill: {
    ...operation('administrator', 'never', answers.FILLED),
    path: '/demo/deployment/fill',
    fillsDisk: true,
    description:
      'Replaces the simulated deployment with another one, for a rehearsal. Removes all faults and keeps the settings.',
    fields: {
      inventory: required(
        inventoryDocument,
        'As text or file: the response of this resource, or the output of kubectl get deployments,statefulsets -o json.',
      ),
    },
  },
  settings: {
    kind: 'settings',
    role: 'administrator',
    closedWhen: 'never',
    answer: answers.DEMO_SETTINGS,
    path: '/demo/settings',
    description: 'Returns or changes the speed of the simulated deployment.',
    fields: {
      rolloutMs: duration('How long a rollout takes; each workload takes 60 % to 140 % of it'),
      hookMs: duration('How long a hook takes'),
      databaseMs: duration('How long a phase of the database takes; the engine upgrade takes four times as long'),
    },
  },
  faults: {
    ...resource('administrator', 'never', answers.FAULT_LIST),
    path: '/demo/faults',
    description: 'Lists the injected faults, oldest first, and how often each has taken effect.',
  },
  addFault: {
    ...operation('administrator', 'never', answers.ADDED_FAULT),
    path: '/demo/faults/add',
    description: 'Injects a fault. It affects work that starts from now on.',
    fields: {
      kind: required(choice(answers.FAULT_NAMES), 'The kind of fault.'),
      workload: optional(
        text(317),
        'The affected workload, or object of a bundle, such as ConfigMap/web. Default: every one.',
      ),
      phase: optional(choice(DATABASE_PHASES), 'The phase that databaseDown affects. Default: engine.'),
      hook: optional(choice(HOOKS), 'The hook that hookFails affects. Default: every hook.'),
      seconds: optional(integer(1, 86_400), 'How long the fault lasts, in seconds. Default 5.'),
      times: optional(integer(1, 1_000_000), 'How often the fault takes effect. Default: until it is removed.'),
    },
  },
  removeFaults: {
    ...operation('administrator', 'never', answers.REMOVED_FAULTS),
    path: '/demo/faults/remove',
    description: 'Removes one fault or all. Work that has failed stays failed until it is started again.',
    fields: {
      id: optional(text(100), 'The fault.'),
      all: optional(boolean, 'If true, removes all faults.'),
    },
  },
  changeObject: {
    ...operation('administrator', 'never', SUCCESS),
    path: '/demo/deployment/changeObject',
    description:
      'Changes a field of an object in the name of another manager, as a person or a controller would do it.',
    fields: {
      object: required(text(600), 'The object as kind/name, such as ConfigMap/portal-settings.'),
      field: required(
        text(1000),
        'The field, such as data.THEME or spec.ports[http].port; an item of a list by its name.',
      ),
      value: optional(text(4000), 'The new value, as text. Default: the field is removed.'),
      manager: optional(text(253), 'The name of the manager. Default: kubectl.'),
      reconciles: optional(boolean, 'Whether the manager would revert a change by Steward. Default: false.'),
    },
  },
  manifest: {
    ...resource('administrator', 'never', VERSIONS),
    path: '/demo/manifest',
    description: 'Returns a version manifest for the simulated deployment, to be imported.',
  },
  licence: {
    ...resource('administrator', 'never', answers.LICENCE),
    path: '/demo/licence',
    description: 'Returns a licence for the simulated deployment, valid for 30 days, to be uploaded.',
  },
});
