/** Bodies of the answers below {root}/demo. */
import type { FaultKind } from '../drivers/simulated/state/injectedFault.ts';
import { FAULT_KINDS } from '../drivers/simulated/state/injectedFault.ts';
import { HOOKS } from '../model/hook.ts';
import { DATABASE_PHASES } from '../model/workload.ts';
import {
  anything,
  choice,
  flag,
  integer,
  list,
  map,
  nullable,
  object,
  open,
  optional,
  text,
  time,
} from '../foundation/schema/shape.ts';
import { namedObject, success } from '../wire/answers/commonAnswers.ts';

export const FAULT_NAMES = Object.keys(FAULT_KINDS) as readonly FaultKind[];

const SETTINGS = {
  rolloutMs: integer(),
  hookMs: integer(),
  databaseMs: integer(),
};

const WORKLOAD = namedObject('SimulatedWorkload', {
  name: text('kind/name, such as Deployment/web.'),
  component: text(),
  module: text(),
  wave: integer('Lower waves are updated first.'),
  images: list(object({ container: text(), image: text(), checksum: nullable(text()) })),
  trouble: nullable(text('Why it is unhealthy.')),
  blocked: nullable(text('Why its images cannot be changed now.')),
  managers: list(object({ name: text(), reconciles: flag('Whether it would revert a change.') })),
  isSteward: flag('Whether it is Steward itself.'),
  expectedMs: nullable(integer('How long a rollout takes.')),
});

const DATABASE = namedObject('SimulatedDatabase', {
  instances: list(object({ name: text(), role: choice(['primary', 'standby']), isReadOnly: flag(), engine: text() })),
  trouble: nullable(text('Why it is unhealthy.')),
  down: optional(list(text(), 'The names of instances that do not start.')),
});

export const DEPLOYMENT = namedObject('SimulatedDeployment', {
  simulated: flag('Always true.'),
  workloads: list(WORKLOAD),
  volumes: list(object({ name: text(), size: text(), storageClass: text() })),
  objects: list(
    object({
      object: text('kind/name, such as ConfigMap/portal-settings.'),
      isOurs: flag('Whether Steward has applied it.'),
      changedBy: nullable(text('The other manager that has changed it since.')),
    }),
  ),
  hooks: list(choice(HOOKS)),
  database: nullable(DATABASE),
  expectedMs: optional(map(integer(), 'How long each hook and each phase of the database takes.')),
  settings: object(SETTINGS),
  mode: object({ isReadOnly: flag(), message: text() }),
  licence: nullable(object({ at: time('When it was given to the deployment.'), length: integer('In characters.') })),
  fence: integer('Increases when another server takes over a job.'),
  rollouts: map(anything('The state of a rollout that is not done.'), 'By workload.'),
});

export const FILLED = success({ workloads: integer('How many there are now.') });

export const DEMO_SETTINGS = namedObject('DemoSettings', {
  status: optional(choice(['success'], 'Present if the request has changed the settings.')),
  ...SETTINGS,
});

const FAULT = namedObject('Fault', {
  id: text(),
  kind: choice(FAULT_NAMES),
  workload: nullable(text()),
  phase: nullable(choice(DATABASE_PHASES)),
  hook: nullable(choice(HOOKS)),
  seconds: nullable(integer()),
  times: nullable(integer('How often it takes effect; null until it is removed.')),
  struck: integer('How often it has taken effect.'),
  isSpent: flag('Whether it has no further effect.'),
  added: time('When it was put in.'),
});

export const FAULT_LIST = object({ faults: list(FAULT, 'Oldest first.') });
export const ADDED_FAULT = success({ fault: FAULT });
export const REMOVED_FAULTS = success({ removed: integer('How many were removed.') });

export const LICENCE = open(
  object({ product: text(), version: text(), expires: time('When it expires.'), note: text() }),
);
