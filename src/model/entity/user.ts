import { ROLES } from '../actor.ts';
import type { EntityValues } from './field.ts';
import { entity } from './field.ts';

/** What an administrator says about a user. The name and the password are not here, because they have other rules. */
export const USER = entity({
  fullName: {
    kind: 'text',
    max: 200,
    default: '',
    reader: 'name',
    column: 'full_name',
    label: 'Full name',
    help: "The person's name.",
    formHelp: '',
  },
  role: {
    kind: 'choice',
    choices: ROLES,
    labels: {
      viewer: 'viewer: reads the catalog',
      publisher: 'publisher: publishes services, manages webhooks',
      administrator: 'administrator: may do everything',
    },
    column: 'role',
    label: 'Role',
    help: 'What the user may do.',
    formHelp: '',
  },
});

export type UserDetails = EntityValues<typeof USER>;
