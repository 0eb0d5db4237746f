import { USER } from '../../../model/entity/user.ts';
import { accessOperations } from '../../../wire/operations/accessOperations.ts';
import type { RemoteCommand } from '../remoteCommand.ts';
import { exportAudit } from '../exportAudit.ts';
import { logout } from '../session.ts';
import { done, record, table } from '../views.ts';

export const ACCESS_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'logout',
    operation: accessOperations.logout,
    summary: 'revoke the token of the profile and remove the profile',
    example: 'logout',
    view: done('Signed out.'),
    run: logout,
  },
  {
    words: 'whoami',
    operation: accessOperations.session,
    summary: 'Shows the signed-in user and the role.',
    example: 'whoami',
    view: record(undefined, 'username'),
  },
  {
    words: 'password',
    operation: accessOperations.changePassword,
    example: 'password',
    view: done('The password is changed. Sign in again with steward login.'),
  },
  {
    words: 'users ls',
    operation: accessOperations.users,
    summary: 'list the users and their roles',
    example: 'users ls',
    view: table('users', 'username', ['username', ...Object.keys(USER), 'modified'], 'There is no user.'),
  },
  {
    words: 'users create',
    operation: accessOperations.createUser,
    arguments: ['username', 'role'],
    example: 'users create ann publisher --full-name "Ann Example"',
    view: record('user', 'user.username'),
  },
  {
    words: 'users show',
    operation: accessOperations.user,
    summary: 'show one user',
    example: 'users show ann',
    view: record(),
  },
  {
    words: 'users edit',
    operation: accessOperations.editUser,
    example: 'users edit ann --role viewer',
    view: record('user', 'user.username'),
  },
  {
    words: 'users rm',
    operation: accessOperations.deleteUser,
    summary: 'delete a user, and the sessions and named tokens of the user',
    asks: ({ tokensTo }) =>
      tokensTo === undefined
        ? 'Delete the user {username}, end all sessions, and revoke the named tokens of the user?'
        : 'Delete the user {username}, end all sessions, and hand the named tokens over to {tokensTo}?',
    example: 'users rm ann --tokens-to bob',
    view: done('Deleted.'),
  },
  {
    words: 'users revoke-all',
    operation: accessOperations.revokeAll,
    summary: 'end all sessions and revoke all tokens of a user, on every replica within a second',
    asks: 'End all sessions and revoke all tokens of {username}?',
    example: 'users revoke-all ann',
    view: done('All sessions are ended and all tokens are revoked.'),
  },
  {
    words: 'tokens ls',
    operation: accessOperations.tokens,
    example: 'tokens ls --username ann',
    view: table(
      'tokens',
      'id',
      ['id', 'kind', 'name', 'username', 'role', 'service', 'expires', 'lastUsed'],
      'There is no token.',
    ),
  },
  {
    words: 'tokens create',
    operation: accessOperations.createToken,
    arguments: ['name', 'role'],
    example: 'tokens create deploy-pipeline publisher --expiration 525600',
    view: record(undefined, 'token', 'Keep the token. It is not shown again.'),
  },
  {
    words: 'tokens revoke',
    operation: accessOperations.revokeToken,
    asks: 'Revoke the token {id}?',
    example: 'tokens revoke 01JC',
    view: done('Revoked.'),
  },
  {
    words: 'audit ls',
    operation: accessOperations.audit,
    isDefault: true,
    example: 'audit --who ann --since 2026-11-15',
    view: table('entries', 'id', ['id', 'when', 'who', 'from', 'action', 'target'], 'There is no such change.'),
  },
  {
    words: 'audit export',
    operation: accessOperations.auditExport,
    summary: 'write the audit log as JSON lines, oldest first',
    flags: [{ flag: '--output <file>', description: 'a new file to write; default: standard output' }],
    example: 'audit export --output audit.jsonl',
    view: record(),
    run: exportAudit,
  },
];
