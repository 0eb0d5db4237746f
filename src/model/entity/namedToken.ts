import { ROLES } from '../actor.ts';
import { entity } from './field.ts';
import { USER } from './user.ts';

/** What an administrator says about the token of a machine. The service that it is for and its end have other forms in the store. */
export const NAMED_TOKEN = entity({
  name: {
    kind: 'text',
    max: 120,
    reader: 'name',
    column: 'name',
    label: 'Name',
    help: 'What the token is for.',
    about: 'What a named token is for.',
    placeholder: 'nightly-build',
  },
  role: {
    kind: 'choice',
    choices: ROLES,
    labels: USER.role.labels,
    column: 'role',
    label: 'Role',
    help: 'The role of the token.',
    formHelp: '',
    about: 'The role that it has now.',
  },
});
