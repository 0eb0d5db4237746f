// The operations for signing in, users, tokens and the audit log.
import * as answers from '../answers/accessAnswers.ts';
import { SUCCESS } from '../answers/commonAnswers.ts';
import { NAMED_TOKEN } from '../../model/entity/namedToken.ts';
import { USER } from '../../model/entity/user.ts';
import { createFields, editFields } from '../fields/entityFields.ts';
import {
  boolean,
  choice,
  instant,
  integer,
  newPassword,
  newUsername,
  required,
  optional,
  password,
  serviceLabel,
  text,
  username,
} from '../fields/fields.ts';
import { operation, operations, resource } from './operations.ts';

const anyUser = username([]);
const newUser = newUsername(['create']);
// Role and password come before the other fields in the interface.
const { role: newRole, ...otherDetails } = createFields(USER);
const { role: editedRole, ...otherEdits } = editFields(USER);
const YEAR_IN_MINUTES = 365 * 24 * 60;

const signInFields = {
  username: required(text(256), 'The name of the user.'),
  password: required(password(1), 'The password of the user.'),
};
const signInOrExchange = {
  username: { ...signInFields.username, isRequired: false },
  password: { ...signInFields.password, isRequired: false },
} as const;

const keepTokens = optional(
  boolean,
  'With a new password: whether the named tokens of the user stay valid. Default false.',
);

const auditFilter = {
  target: optional(text(400), 'Only changes of this target, such as "user admin".'),
  who: optional(text(400), 'Only changes that this user made.'),
  since: optional(instant, 'Only changes at or after this time.'),
  until: optional(instant, 'Only changes before this time.'),
};

export const accessOperations = operations({
  generateToken: {
    ...operation('anyone', 'never', answers.ISSUED_TOKEN),
    path: '/generateToken',
    alsoAt: ['/tokens/generateToken'],
    ignoresUnknown: true,
    description:
      'Returns a token for a user name and a password, or exchanges a token (token and serverUrl) for another one of the same user.',
    fields: {
      ...signInOrExchange,
      serverUrl: optional(
        text(2048),
        'With token instead of username and password: the address of this server for which the token is exchanged.',
      ),
      client: optional(
        choice(['referer', 'ip', 'requestip']),
        'What the token is bound to: a referer, an address, or the address of this request. By default it is not bound.',
      ),
      referer: optional(text(2048), 'The referer, with client=referer.'),
      ip: optional(text(64), 'The address, with client=ip.'),
      expiration: optional(
        integer(1, Number.MAX_SAFE_INTEGER),
        'Minutes until the token expires. Default 60; a longer time than allowed is shortened. An exchanged token lasts at most 60 minutes and expires no later than the first one.',
      ),
    },
  },
  login: {
    ...operation('anyone', 'never', answers.SIGNED_IN),
    path: '/login',
    signsIn: true,
    description: 'Signs a browser in: sets a cookie and returns the CSRF token that write requests must send.',
    fields: {
      ...signInFields,
      next: optional(text(2048), 'With f=html: the path of the page that follows. Default: {root}.'),
    },
  },
  logout: {
    ...operation('viewer', 'never', SUCCESS),
    path: '/logout',
    description: 'Ends the session of this request, or revokes its token from generateToken.',
  },
  session: {
    ...resource('viewer', 'never', answers.SESSION),
    path: '/session',
    description: 'Returns the signed-in user, and the CSRF token if the request has the session cookie.',
  },
  changePassword: {
    ...operation('viewer', 'never', SUCCESS),
    path: '/changePassword',
    description:
      'Changes the password of the signed-in user. Ends all sessions of the user, including this one, and revokes the named tokens that the user has created.',
    fields: {
      currentPassword: required(password(1), 'The current password.'),
      newPassword: required(newPassword, 'The new password.'),
      keepTokens,
    },
  },
  users: {
    ...resource('administrator', 'never', answers.USERS),
    path: '/security/users',
    description: 'The users and their roles.',
  },
  createUser: {
    ...operation('administrator', 'jobRuns', answers.CHANGED_USER),
    path: '/security/users/create',
    description: 'Makes a user.',
    fields: {
      username: required(newUser, 'The name to sign in with. Case does not matter.'),
      password: required(newPassword, 'The first password.'),
      role: newRole,
      ...otherDetails,
    },
  },
  user: {
    ...resource('administrator', 'never', answers.ONE_USER),
    path: '/security/users/{username}',
    description: 'One user.',
  },
  editUser: {
    // The rule decides: what takes access away stays open while a job runs.
    ...operation('administrator', 'never', answers.CHANGED_USER),
    path: '/security/users/{username}/edit',
    description:
      'Changes the fields that are sent. A new password ends the sessions of the user and revokes the named tokens of the user. While a job runs, the role can be lowered but not raised.',
    fields: {
      role: editedRole,
      password: optional(newPassword, 'A new password.'),
      keepTokens,
      ...otherEdits,
    },
  },
  deleteUser: {
    ...operation('administrator', 'never', SUCCESS),
    path: '/security/users/{username}/delete',
    description:
      'Deletes the user, ends the sessions of the user and revokes the named tokens that the user has created. The last administrator cannot be deleted.',
    fields: {
      tokensTo: optional(anyUser, 'The user who takes over the named tokens. The tokens keep their rights.'),
    },
  },
  revokeAll: {
    ...operation('administrator', 'never', SUCCESS),
    path: '/security/users/{username}/revokeAll',
    description: 'Ends all sessions and revokes all tokens of the user, on every replica within a second.',
  },
  tokens: {
    ...resource('administrator', 'never', answers.TOKENS),
    path: '/security/tokens',
    description: 'Lists the tokens that have not expired, without their secrets.',
    fields: { username: optional(anyUser, 'Only the tokens of this user.') },
  },
  createToken: {
    ...operation('administrator', 'jobRuns', answers.CREATED_TOKEN),
    path: '/security/tokens/create',
    description:
      'Creates a named token for a machine. Its secret is shown only in this response. The token never has more rights than you; it is revoked when your account is deleted.',
    fields: {
      ...createFields(NAMED_TOKEN),
      service: optional(serviceLabel, 'The only service that the token can be used for. Default: all services.'),
      expiration: optional(integer(1, YEAR_IN_MINUTES), 'Minutes until the token expires. Default: 30 days.'),
    },
  },
  revokeToken: {
    ...operation('administrator', 'never', SUCCESS),
    path: '/security/tokens/{id}/revoke',
    description: 'Revokes a token, on every replica within a second.',
  },
  audit: {
    ...resource('administrator', 'never', answers.AUDIT_ENTRIES),
    path: '/security/audit',
    description:
      'Lists administrative changes, newest first: who changed what, when, from where, and the state before and after.',
    fields: {
      ...auditFilter,
      before: optional(
        integer(1, Number.MAX_SAFE_INTEGER),
        'Only entries older than the one with this id (for the next page).',
      ),
      limit: optional(integer(1, 1000), 'The maximum number of entries. Default 100.'),
    },
  },
  auditExport: {
    ...resource('administrator', 'never', answers.AUDIT_LINES),
    media: 'application/x-ndjson',
    path: '/security/audit/export',
    description:
      'Returns the whole audit log as JSON lines, oldest first: one line for each entry, with the fields of security/audit.',
    fields: {
      ...auditFilter,
      after: optional(
        integer(0, Number.MAX_SAFE_INTEGER),
        'Only entries newer than the one with this id: continues an export that was interrupted.',
      ),
    },
  },
});
