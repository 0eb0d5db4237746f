/** Bodies of the answers about upgrades and versions. */
import type { ShapeType } from '../../foundation/schema/shape.ts';
import { OBJECT_ACTIONS } from '../../model/objects/objectAction.ts';
import {
  anything,
  choice,
  flag,
  integer,
  list,
  named,
  nullable,
  object,
  open,
  optional,
  text,
  time,
} from '../../foundation/schema/shape.ts';
import { NEXT_ACTION, namedObject, success } from './commonAnswers.ts';
import { PAST_UPGRADE, UPGRADE_CODE, UPGRADE_JOB, UPGRADE_MESSAGES, UPGRADE_STATES } from './jobAnswers.ts';

export const UPGRADE_STATUS = named(
  'UpgradeStatus',
  object({
    status: object({ state: choice(UPGRADE_STATES), code: UPGRADE_CODE, messages: UPGRADE_MESSAGES }),
    job: optional(UPGRADE_JOB),
  }),
  { examples: [{ status: { state: 'no_upgrade', code: 0, messages: [] } }] },
);
export type UpgradeStatusAnswer = ShapeType<typeof UPGRADE_STATUS>;

const CONTAINER = open(
  namedObject('Container', {
    name: text('A container, or workload/container, or kind/workload/container.'),
    checksum: text('sha256: and 64 hex digits.'),
    image: text(),
  }),
);

const VERSION_FIELDS = {
  id: text('Begins with rel_ or pat_.'),
  name: text(),
  description: text(),
  update: choice(['release', 'patch']),
  version: text(),
  build: text(),
  previousVersion: text('The version over which it is installed; empty if there is none.'),
  previousBuild: text('The lowest build over which it is installed; empty for any.'),
  released: time('When it was released; 0 if unknown.'),
  releaseNotes: text(),
  newLicensesRequired: flag(),
  containers: list(CONTAINER),
  objects: optional(
    open(
      object({
        checksum: text('The SHA-256 of the bundle: sha256: and 64 hex digits.'),
        image: optional(text('The bundle in a registry, as registry/name@sha256:….')),
      }),
    ),
  ),
};

const VERSION = open(namedObject('Version', VERSION_FIELDS));

export const VERSIONS = list(VERSION, 'Patches first, then releases, each from oldest to newest.');
export const REMOVABLE_VERSIONS = object({ updates: list(VERSION) });

const PATH_VERSION = namedObject('PathVersion', {
  id: text('Begins with rel_ or pat_.'),
  fullVersion: text('version.build'),
  update: VERSION_FIELDS.update,
});

export const UPGRADE_PATHS = namedObject('UpgradePaths', {
  from: text('The current version as version.build, or unknown.'),
  paths: list(
    object({
      id: text('The id of the version.'),
      versions: list(PATH_VERSION, 'The versions to install, in their order; the last is the version itself.'),
    }),
    'Patches first, then releases, each from oldest to newest.',
  ),
});

const HOW = choice(['upgrade', 'adopt'], 'How it was recorded.');

const INSTALLED_VERSION = open(
  namedObject('InstalledVersion', {
    ...VERSION_FIELDS,
    installedAt: time('When it was installed.'),
    how: HOW,
    by: text('The user who installed it.'),
    jobId: nullable(text()),
  }),
);

export const INSTALLED_VERSIONS = object({ updates: list(INSTALLED_VERSION) });

export const CURRENT_VERSION = namedObject('CurrentVersion', {
  known: flag('False until a version was installed or adopted.'),
  id: nullable(text()),
  version: nullable(text()),
  build: nullable(text()),
  fullVersion: text('version.build, or unknown.'),
  installedAt: nullable(time('When it was installed.')),
  how: nullable(HOW),
  unfinished: nullable(
    namedObject('UnfinishedUpgrade', { id: text('The id of the version.'), to: text(), jobId: text() }),
  ),
  simulated: flag('Whether the deployment is simulated.'),
});

export const UPGRADE_HISTORY = object({ updates: list(PAST_UPGRADE, 'Newest first.') });

export const IMPORTED_MANIFEST = success({
  versions: list(text(), 'The ids of the versions.'),
  signed: flag(),
  objects: nullable(
    namedObject('ImportedObjects', {
      checksum: text('That of the file with objects that was imported: sha256: and 64 hex digits.'),
      count: integer('How many objects it has.'),
    }),
  ),
  warnings: list(text()),
});

const USER_INPUT = namedObject('UserInput', {
  seqNum: integer('The position, from 0 on.'),
  name: text(),
  id: text(),
  description: text(),
  type: choice(['Boolean', 'File', 'Json']),
  value: anything('true or false, the id of an upload, or an object, according to the type.'),
  defaultValue: optional(flag()),
  isManagerInvisibleField: optional(flag()),
  required: flag(),
  validFileExtensions: optional(list(text())),
  newfield: text(),
});

export const UPGRADE_SETTINGS = namedObject('UpgradeSettings', { userInputs: list(USER_INPUT) });

const NEEDED_IMAGE = namedObject('NeededImage', {
  image: text('As the manifest names it.'),
  reference: text('As the deployment would be configured: pinned to the checksum, and in the mirror if there is one.'),
  checksum: text('sha256: and 64 hex digits.'),
  containers: list(text(), 'The containers that use it, by their names in the manifest.'),
});

export const NEEDED_IMAGES = namedObject('NeededImages', {
  id: text('The id of the version.'),
  versions: list(text(), 'The ids of the versions that the upgrade would install, in their order.'),
  images: list(NEEDED_IMAGE, 'Each image once.'),
});

const PLANNED_CHANGE = namedObject('PlannedChange', {
  workload: text(),
  component: text(),
  module: text(),
  images: list(
    object({ container: text(), from: nullable(text()), to: text(), checksum: nullable(text()) }),
    'The image of each container, before and after.',
  ),
});
export type PlannedChangeAnswer = ShapeType<typeof PLANNED_CHANGE>;

const PLANNED_STEP = namedObject('PlannedStep', {
  step: text(),
  title: text(),
  canBeUndone: flag(),
  estimateMs: integer(),
  waves: optional(list(list(PLANNED_CHANGE), 'Only of a step that changes workloads.')),
  objects: optional(list(text(), 'Only of a step that changes other objects.')),
});
export type PlannedStepAnswer = ShapeType<typeof PLANNED_STEP>;

const PLANNED_OBJECT = namedObject('PlannedObject', {
  object: text('As `kind/name`.'),
  action: choice(
    OBJECT_ACTIONS,
    'conflict: another manager would revert a field. keep: the version no longer has it, and it stays. unknown: it is compared when the definition of its kind is established.',
  ),
  step: nullable(text('The step that changes it first.')),
  fields: list(
    object({
      field: text(),
      before: nullable(text('null if it is not there. The value of a Secret is shown as an HMAC.')),
      after: nullable(text()),
      managers: list(text(), 'The other managers of the field.'),
    }),
  ),
  reasons: list(text(), 'Why it cannot be changed now, or why it stays.'),
  canBeUndone: flag(),
  final: nullable(text('Why the change cannot be undone.')),
});
export type PlannedObjectAnswer = ShapeType<typeof PLANNED_OBJECT>;

export const PLAN = namedObject('Plan', {
  id: text('The id of the version.'),
  from: text(),
  to: text(),
  canStart: flag('Whether no check has failed.'),
  checks: list(
    object({
      name: text(),
      verdict: choice(
        ['pass', 'warn', 'fail', 'unknown'],
        'unknown: the check did not answer in time. The job runs it again before it changes anything.',
      ),
      text: text(),
      todo: text('What to do about it; empty if the check has passed.'),
      nextActions: optional(list(NEXT_ACTION, 'What can be done about it through Steward.')),
    }),
  ),
  steps: list(PLANNED_STEP),
  objects: optional(list(PLANNED_OBJECT, 'Only if this version or the one before has objects.')),
  pointOfNoReturn: nullable(text('The first step that cannot be undone.')),
  estimate: object({ totalMs: integer(), readOnlyMs: integer() }),
  planHash: text('Send it to upgrade, so that only this plan is run.'),
  simulated: flag('Whether the deployment is simulated.'),
});
export type PlanAnswer = ShapeType<typeof PLAN>;

const DIFFERENCE = namedObject('VersionDifference', {
  container: text(),
  workload: text('Empty if no workload has the container.'),
  expected: text('The checksum in the manifest.'),
  running: text('The checksum of what runs.'),
});

export const ADOPTION = success({
  id: text(),
  fullVersion: text(),
  dryRun: flag(),
  differences: list(DIFFERENCE),
  objects: optional(
    list(
      object({ object: text(), isAbsent: flag(), fields: list(text(), 'The fields that differ.') }),
      'The objects that are not as the version has them; absent if all are.',
    ),
  ),
  unfinished: list(text(), 'What a failed job has left undone.'),
});

export const RESTORE_POINT = success({ name: text(), madeAt: time('When it was made.') });
