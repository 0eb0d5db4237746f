import { USER } from '../../../model/entity/user.ts';
import { accessOperations } from '../../../wire/operations/accessOperations.ts';
import type { RemoteCommand } from '../remoteCommand.ts';
import { exportAudit } from '../exportAudit.ts';
import { logout } from '../session.ts';
import { command, done, record, table } from '../views.ts';

export const ACCESS_COMMANDS: readonly RemoteCommand[] = [
  command('logout', '', accessOperations.logout, {
    summary: 'revoke the token of the profile and remove the profile',
    run: logout,
    view: done('Signed out.'),
  }),
  command('whoami', '', accessOperations.session, {
    summary: 'Shows the signed-in user and the role.',
    view: record(undefined, 'username'),
  }),
  command('password', '', accessOperations.changePassword, {
    view: done('The password is changed. Sign in again with steward login.'),
  }),
  command('users ls', '', accessOperations.users, {
    summary: 'list the users and their roles',
    view: table('users', 'username', ['username', ...Object.keys(USER), 'modified'], 'There is no user.'),
  }),
  command('users create', 'ann publisher --full-name "Ann Example"', accessOperations.createUser, {
    arguments: ['username', 'role'],
    view: record('user', 'user.username'),
  }),
  command('users show', 'ann', accessOperations.user, { summary: 'show one user' }),
  command('users edit', 'ann --role viewer', accessOperations.editUser, { view: record('user', 'user.username') }),
  command('users rm', 'ann --tokens-to bob', accessOperations.deleteUser, {
    summary: 'delete a user, and the sessions and named tokens of the user',
    asks: ({ tokensTo }) =>
      tokensTo === undefined
        ? 'Delete the user {username}, end all sessions, and revoke the named tokens of the user?'
        : 'Delete the user {username}, end all sessions, and hand the named tokens over to {tokensTo}?',
    view: done('Deleted.'),
  }),
  command('users revoke-all', 'ann', accessOperations.revokeAll, {
    summary: 'end all sessions and revoke all tokens of a user, on every replica within a second',
    asks: 'End all sessions and revoke all tokens of {username}?',
    view: done('All sessions are ended and all tokens are revoked.'),
  }),
  command('tokens ls', '--username ann', accessOperations.tokens, {
    view: table(
      'tokens',
      'id',
      ['id', 'kind', 'name', 'username', 'role', 'service', 'expires', 'lastUsed'],
      'There is no token.',
    ),
  }),
  command('tokens create', 'deploy-pipeline publisher --expiration 525600', accessOperations.createToken, {
    arguments: ['name', 'role'],
    view: record(undefined, 'token', 'Keep the token. It is not shown again.'),
  }),
  command('tokens revoke', '01JC', accessOperations.revokeToken, {
    asks: 'Revoke the token {id}?',
    view: done('Revoked.'),
  }),
  command('audit ls', '--who ann --since 2026-11-15', accessOperations.audit, {
    isDefault: true,
    view: table('entries', 'id', ['id', 'when', 'who', 'from', 'action', 'target'], 'There is no such change.'),
  }),
  command('audit export', '--output audit.jsonl', accessOperations.auditExport, {
    summary: 'write the audit log as JSON lines, oldest first',
    flags: [{ flag: '--output <file>', description: 'a new file to write; default: standard output' }],
    run: exportAudit,
  }),
];
