/** Bodies of the answers about users, tokens and the audit log. */
import { ROLES } from '../../model/actor.ts';
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
import { NAMED_TOKEN } from '../../model/entity/namedToken.ts';
import { USER as USER_ENTITY } from '../../model/entity/user.ts';
import { answerFields } from '../fields/entityShape.ts';
import { namedObject, success } from './commonAnswers.ts';

const ROLE = choice(ROLES);

export const ISSUED_TOKEN = namedObject('IssuedToken', {
  token: text('Send it as a Bearer token, or as the field `token`.'),
  expires: time('When the token expires.'),
  ssl: flag('Whether the server was reached over https.'),
});

export const SIGNED_IN = success({
  username: text(),
  role: ROLE,
  csrfToken: text('Write requests with the session cookie must send it.'),
  expires: time('When the session ends.'),
});

export const SESSION = namedObject('Session', {
  username: text(),
  role: ROLE,
  service: text('The one service that the token is for; empty for all.'),
  csrfToken: optional(text('Present if the cookie says who is signed in.')),
  version: text('The version of Steward that has answered.'),
});

const USER = namedObject('User', {
  username: text(),
  ...answerFields(USER_ENTITY),
  created: time('When the user was created.'),
  modified: time('When the user was last changed.'),
});

export const ONE_USER = USER;
export const USERS = object({ users: list(USER) });
export const CHANGED_USER = success({ user: USER });

const { role: TOKEN_ROLE, ...TOKEN_DETAILS } = answerFields(NAMED_TOKEN);

const TOKEN = namedObject('Token', {
  id: text(),
  kind: choice(
    ['login', 'session', 'named'],
    'login: from generateToken. session: of a browser. named: for a machine.',
  ),
  ...TOKEN_DETAILS,
  username: text('The user who signed in, or who created the named token.'),
  role: TOKEN_ROLE,
  createdRole: choice(ROLES, 'The role that it was issued with.'),
  service: text('The one service that it is for; empty for all.'),
  client: choice(['', 'referer', 'ip'], 'What it is bound to; empty if it is not bound.'),
  boundTo: text('The referer or the address.'),
  created: time('When it was issued.'),
  expires: time('When it expires.'),
  lastUsed: nullable(time('When it was last used.')),
});
export type TokenAnswer = ShapeType<typeof TOKEN>;

export const TOKENS = object({ tokens: list(TOKEN) });
export const CREATED_TOKEN = success({ token: text('The secret. It is shown only in this response.'), item: TOKEN });

const AUDIT_ENTRY = namedObject('AuditEntry', {
  id: integer(),
  when: time('When it was done.'),
  who: text(),
  from: text('The address of the client.'),
  requestId: text(),
  action: text(),
  target: text(),
  before: optional(anything('The state before. Absent if there was none.')),
  after: optional(anything('The state after. Absent if there is none.')),
});

export const AUDIT_ENTRIES = object({ entries: list(AUDIT_ENTRY) });

export const AUDIT_LINES: Shape<object> = {
  type: 'string',
  description: 'One JSON text per line, each an `AuditEntry`.',
};
