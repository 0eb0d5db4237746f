import { DEPLOYMENT_STATE, OVERVIEW } from '../answers/overviewAnswers.ts';
import { MODE } from '../answers/systemAnswers.ts';
import { boolean, optional, text } from '../fields/fields.ts';
import { operations, resource } from './operations.ts';

export const modeOperations = operations({
  mode: {
    kind: 'settings',
    answer: MODE,
    path: '/mode',
    role: 'viewer',
    changeRole: 'administrator',
    closedWhen: 'never',
    description: 'Returns or sets read-only mode. In this mode writes return 503; reads and tokens continue to work.',
    fields: {
      isReadOnly: optional(boolean, 'Whether the system is in read-only mode.'),
      message: optional(text(1000), 'The text that rejected writes return.'),
      force: optional(boolean, 'If true, ends read-only mode although no database instance accepts writes.'),
    },
  },
});

/** Available while a job runs, because people watch it here. */
export const overviewOperations = operations({
  overview: {
    ...resource('administrator', 'never', OVERVIEW),
    path: '/system/overview',
    description:
      'Returns the state of everything at a glance: what needs attention, mode, health, deliveries, the latest job and drift. It may be two seconds old.',
  },
  deployment: {
    ...resource('administrator', 'never', DEPLOYMENT_STATE),
    path: '/system/deployment',
    description:
      'Returns what the deployment runs: each workload with its images, its rollout and its version, and the database. It may be a second old.',
  },
});
