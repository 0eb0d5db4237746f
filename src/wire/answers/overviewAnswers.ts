/** Bodies of the answers about the system as a whole: the overview, and what the deployment runs. */
import type { ShapeType } from '../../foundation/schema/shape.ts';
import { choice, flag, integer, list, nullable, object, optional, text, time } from '../../foundation/schema/shape.ts';
import { ATTENTION_KINDS, SEVERITIES, SUBJECT_KINDS } from '../../model/attention.ts';
import { ADVICE, PROGRESS, namedObject } from './commonAnswers.ts';
import { PAST_UPGRADE } from './jobAnswers.ts';
import { MODE } from './systemAnswers.ts';
import { LEDGER_FIELDS, SCOPE } from './webhookAnswers.ts';

const RUNS = choice(
  ['installed', 'next', 'other', 'unnamed'],
  'installed: the installed version. next: a version that the job installs. other: something else, or the image of an earlier version that the installed one leaves out. unnamed: no version names its containers.',
);

const DEPLOYED_WORKLOAD = namedObject('DeployedWorkload', {
  workload: text('kind/name, such as Deployment/web.'),
  component: text(),
  module: text(),
  wave: integer('Lower waves are updated first.'),
  runs: RUNS,
  images: list(object({ container: text(), image: text(), checksum: nullable(text('Null if it is unknown.')) })),
  rollout: nullable(PROGRESS),
  trouble: nullable(text('Why it is unhealthy.')),
  blocked: nullable(text('Why its images cannot be changed now.')),
  isSteward: flag('Whether it is Steward itself.'),
});

const DATABASE_INSTANCE = object({
  name: text(),
  role: choice(['primary', 'standby']),
  isReadOnly: flag(),
  engine: text('The version of the database engine.'),
});

export const DEPLOYMENT_STATE = namedObject('DeploymentState', {
  simulated: flag('Whether the deployment is simulated.'),
  configured: flag('Whether Steward has a deployment to upgrade.'),
  workloads: list(DEPLOYED_WORKLOAD),
  incomplete: optional(
    list(
      text(),
      'Containers of the installed version that no workload has, and containers that it leaves out, each with the reason. Absent if there is none.',
    ),
  ),
  database: nullable(object({ instances: list(DATABASE_INSTANCE), trouble: nullable(text()) })),
});
export type DeploymentStateAnswer = ShapeType<typeof DEPLOYMENT_STATE>;

const DELIVERY_TOTALS = namedObject('DeliveryTotals', {
  webhooks: integer(),
  inactive: integer('Webhooks that are not active.'),
  unreadable: integer(
    'Webhooks for which nothing is sent, because this replica lacks the master key of their secrets.',
  ),
  ...LEDGER_FIELDS,
  held: integer('Pending deliveries of inactive webhooks.'),
});

const NEAR_DEACTIVATION = namedObject('NearDeactivation', {
  id: text(),
  ...SCOPE,
  name: text(),
  failures: integer(),
  allowed: integer('At this many failures it is deactivated.'),
});

const ATTENTION_ITEM = namedObject('AttentionItem', {
  kind: choice(ATTENTION_KINDS),
  severity: choice(
    SEVERITIES,
    'critical: something does not work now. warning: a part of it, or soon. notice: good to know.',
  ),
  subject: object({
    kind: choice(SUBJECT_KINDS),
    name: text(),
    id: optional(text('The id of a webhook or of a job.')),
    service: optional(text('Of a webhook: folder/name.type, or empty for the system.')),
  }),
  since: nullable(time('Null if it is not known.')),
  cause: text('What needs a person, and why.'),
  job: nullable(text('The id of the job that explains it.')),
  ...ADVICE,
});
export type AttentionAnswer = ShapeType<typeof ATTENTION_ITEM>;

export const OVERVIEW = namedObject('Overview', {
  version: text('The version of Steward.'),
  mode: MODE,
  attention: list(ATTENTION_ITEM, 'What needs a person, the most severe first; empty if nothing does.'),
  attentionMore: integer('How many more items there are.'),
  obstacles: list(text(), 'Why this replica is not ready; empty if it is.'),
  services: integer(),
  deliveries: DELIVERY_TOTALS,
  oldestDueSeconds: integer('How long the oldest due delivery has waited.'),
  perMinute: list(
    object({ at: time('The start of the minute.'), delivered: integer(), failed: integer() }),
    'The deliveries that ended, for each of the last 60 minutes, oldest first.',
  ),
  nearDeactivation: list(NEAR_DEACTIVATION, 'Active webhooks with at least half of the failures that deactivate them.'),
  job: nullable(PAST_UPGRADE),
  drift: nullable(
    list(
      text(),
      'Workloads that run something else than the installed version, and containers of it that no workload has. Null if that is not known.',
    ),
  ),
});
export type OverviewAnswer = ShapeType<typeof OVERVIEW>;
