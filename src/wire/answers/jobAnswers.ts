/** Bodies of the answers about jobs. */
import { JOB_STATES } from '../../model/jobState.ts';
import type { Shape, ShapeType } from '../../foundation/schema/shape.ts';
import {
  anything,
  choice,
  flag,
  integer,
  list,
  nullable,
  object,
  optional,
  text,
  time,
} from '../../foundation/schema/shape.ts';
import { ADVICE, PROGRESS, namedObject, success } from './commonAnswers.ts';

/** The states of an upgrade, in the order of their codes. */
export const UPGRADE_STATES = [
  'no_upgrade',
  'in_progress',
  'failed',
  'success',
  'paused',
  'rolling_back',
  'rolled_back',
] as const;

export const UPGRADE_CODE = choice([0, 1, 2, 3, 4, 5, 6], 'The number of the state.');

const MESSAGE = namedObject('Message', {
  code: optional(integer('Absent in messages of jobs that have no codes.')),
  message: text(),
  when: time('When it was written.'),
  step: optional(text('The part of the job that it belongs to, such as database. Absent if it may come anywhere.')),
});
export type MessageAnswer = ShapeType<typeof MESSAGE>;

const MESSAGES = list(MESSAGE, 'Oldest first.');

/** Messages of an upgrade always have a code. The type is the one of all messages, so that one view serves both. */
export const UPGRADE_MESSAGES: Shape<readonly MessageAnswer[]> = list(
  namedObject('UpgradeMessage', {
    code: integer('docs/messages.md has all codes.'),
    message: text(),
    when: time('When it was written.'),
  }),
  'Oldest first.',
);

/** The fields that every job has, wherever it is shown. */
const JOB_PROGRESS = {
  phase: text('What the job is doing, in a word.'),
  progress: PROGRESS,
  startedAt: time('When it was started.'),
  startedBy: text(),
  estimatedEnd: nullable(
    time('When it will end, or has ended. Null while it is paused and before the first estimate.'),
  ),
  endedAt: nullable(time('When it has ended.')),
  pausing: flag('Whether it pauses as soon as it can.'),
  cancelling: flag('Whether it is being cancelled.'),
};
const JOB_PROGRESS_SHAPE = object(JOB_PROGRESS);
export type JobProgressAnswer = ShapeType<typeof JOB_PROGRESS_SHAPE>;

const JOB_STEP = namedObject('JobStep', {
  step: text(),
  title: text(),
  state: choice(['pending', 'running', 'done', 'stopped', 'undone']),
  canBeUndone: flag(),
  progress: PROGRESS,
});

const JOB_FAILURE = namedObject('JobFailure', {
  reason: text('What happened, and to what.'),
  lines: list(text(), 'The last log lines.'),
  advice: text('What a person should do, as a sentence.'),
  ...ADVICE,
});

/** The fields that an upgrade or a rollback adds. */
const UPGRADE_DETAILS = {
  from: text('The version before, as version.build.'),
  to: text('The version after, as version.build.'),
  versionId: text(),
  reason: nullable(
    choice(['completed', 'checksFailed', 'failed', 'cancelled'], 'Why it has ended. Null while it goes forward.'),
  ),
  failure: nullable(JOB_FAILURE),
  pastPointOfNoReturn: flag('Whether it has begun what cannot be undone.'),
  simulated: flag('Whether the deployment is simulated.'),
  incomplete: optional(
    list(
      text(),
      'What a successful job has left out: each container with the reason. Absent if the version is complete.',
    ),
  ),
};

export const UPGRADE_JOB = namedObject('UpgradeJob', {
  id: text(),
  kind: text(),
  ...UPGRADE_DETAILS,
  steps: list(JOB_STEP, 'Empty until the plan is made.'),
  ...JOB_PROGRESS,
});
export type UpgradeJobAnswer = ShapeType<typeof UPGRADE_JOB>;

/** A past upgrade or rollback, without its steps. */
export const PAST_UPGRADE = namedObject('PastUpgrade', {
  state: choice(UPGRADE_STATES),
  code: UPGRADE_CODE,
  id: text(),
  kind: text(),
  ...UPGRADE_DETAILS,
  ...JOB_PROGRESS,
});

const LISTED_JOB_FIELDS = {
  id: text(),
  kind: text('upgrade, rollback, webhooks.redeliver or webhooks.redeliverHeld. The optional fields depend on it.'),
  state: choice([...UPGRADE_STATES, ...JOB_STATES.filter((state) => state !== 'failed' && state !== 'paused')]),
  code: optional(UPGRADE_CODE),
  from: optional(UPGRADE_DETAILS.from),
  to: optional(UPGRADE_DETAILS.to),
  versionId: optional(UPGRADE_DETAILS.versionId),
  reason: optional(UPGRADE_DETAILS.reason),
  failure: optional(UPGRADE_DETAILS.failure),
  pastPointOfNoReturn: optional(UPGRADE_DETAILS.pastPointOfNoReturn),
  simulated: optional(UPGRADE_DETAILS.simulated),
  incomplete: UPGRADE_DETAILS.incomplete,
  task: optional(anything('What a job does that is not an upgrade.')),
  ...JOB_PROGRESS,
};

const LISTED_JOB = namedObject('ListedJob', LISTED_JOB_FIELDS);

const JOB_FIELDS = { ...LISTED_JOB_FIELDS, steps: optional(list(JOB_STEP, 'Empty until the plan is made.')) };
const JOB_SHAPE = object(JOB_FIELDS);
export type JobAnswer = ShapeType<typeof JOB_SHAPE>;

export const JOB = namedObject('Job', { ...JOB_FIELDS, messages: MESSAGES });
export const JOBS = object({ jobs: list(LISTED_JOB, 'Newest first.') });
export const JOB_MESSAGES = object({ messages: MESSAGES });
export const CONTROLLED_JOB = success({ jobId: text() });
