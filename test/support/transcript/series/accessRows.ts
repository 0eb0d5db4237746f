// Signing in, users, tokens and the audit log.
import { ADMIN_PASSWORD } from '../../server/stewardProcess.ts';
import type { Row } from '../player.ts';

const PASSWORD = 'a password for the series';
const ANONYMOUS = { as: 'anonymous' } as const;

/** Makes the users of the roles, and remembers a token of each. The first rows of a series. */
export const SIGN_IN_ROWS: readonly Row[] = [
  [
    'POST generateToken',
    { username: 'admin', password: ADMIN_PASSWORD },
    { ...ANONYMOUS, keep: { administrator: 'token' } },
  ],
  ['POST security/users/create', { username: 'vera', password: PASSWORD, role: 'viewer', fullName: 'Vera Viewer' }],
  ['POST security/users/create', { username: 'paul', password: PASSWORD, role: 'publisher' }, { form: 'json' }],
  ['POST generateToken', { username: 'vera', password: PASSWORD }, { ...ANONYMOUS, keep: { viewer: 'token' } }],
  [
    'POST /tokens/generateToken',
    { username: 'PAUL', password: PASSWORD, expiration: '5' },
    { ...ANONYMOUS, keep: { publisher: 'token' } },
  ],
];

export const ACCESS_ROWS: readonly Row[] = [
  ['POST generateToken', { username: 'vera', password: 'wrong' }, ANONYMOUS],
  ['POST /compat/admin/generateToken', { username: 'vera', password: PASSWORD, colour: 'ignored' }, ANONYMOUS],
  [
    'POST generateToken',
    { username: 'vera', password: PASSWORD, client: 'referer', referer: 'https://r.example' },
    ANONYMOUS,
  ],
  ['POST generateToken', { username: 'vera', password: PASSWORD, client: 'ip' }, ANONYMOUS],
  ['POST generateToken', { token: '{viewer}', serverUrl: '{server}/services' }, ANONYMOUS],
  ['POST login', { username: 'admin', password: ADMIN_PASSWORD }, { ...ANONYMOUS, keep: { csrf: 'csrfToken' } }],
  ['POST login', { username: 'admin', password: ADMIN_PASSWORD, f: 'html', next: '/admin/services' }, ANONYMOUS],
  ['POST login', { username: 'admin', password: 'wrong', f: 'html' }, ANONYMOUS],
  ['POST demo/login', {}, ANONYMOUS],
  ['GET session', {}, { as: 'viewer' }],
  ['POST security/users/create', { username: 'clerk', password: PASSWORD, role: 'publisher', fullName: 'A Clerk' }],
  ['POST security/users/create', { username: 'Clerk', password: PASSWORD, role: 'viewer' }],
  ['POST security/users/create', { username: 'weak', password: 'password', role: 'viewer' }],
  ['POST generateToken', { username: 'clerk', password: PASSWORD }, { ...ANONYMOUS, keep: { clerkToken: 'token' } }],
  ['POST changePassword', { currentPassword: 'wrong', newPassword: `${PASSWORD} 2`, token: '{clerkToken}' }, ANONYMOUS],
  [
    'POST changePassword',
    { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2`, keepTokens: 'true', token: '{clerkToken}' },
    ANONYMOUS,
  ],
  [
    'POST generateToken',
    { username: 'clerk', password: `${PASSWORD} 2` },
    { ...ANONYMOUS, keep: { clerkToken: 'token' } },
  ],
  ['POST logout', { token: '{clerkToken}' }, ANONYMOUS],
  ['POST logout', { token: '{clerkToken}' }, ANONYMOUS],
  ['GET security/users/{username=clerk}'],
  ['POST security/users/{username=clerk}/edit', { fullName: 'The Clerk', role: 'viewer' }],
  ['POST security/users/{username=clerk}/edit', { password: PASSWORD, keepTokens: true }, { form: 'json' }],
  [
    'POST security/tokens/create',
    { name: 'pipeline', role: 'viewer', service: 'Finance/Invoices.Query', expiration: '60' },
    { keep: { named: 'item.id' } },
  ],
  [
    'POST security/tokens/create',
    { name: 'machine', role: 'publisher' },
    { keep: { gone: 'item.id', machine: 'token' } },
  ],
  ['GET services', { token: '{machine}' }, ANONYMOUS],
  [
    'POST security/users/create',
    { username: 'never', password: PASSWORD, role: 'viewer', token: '{machine}' },
    ANONYMOUS,
  ],
  ['GET security/tokens', { username: 'admin' }, { after: 'settled' }],
  ['POST security/tokens/{id=gone}/revoke'],
  ['POST security/tokens/{id=gone}/revoke'],
  ['POST security/users/{username=clerk}/revokeAll'],
  ['POST security/users/{username=clerk}/delete', { tokensTo: 'admin' }],
  ['GET security/users/{username=clerk}'],
  ['POST security/users/{username=admin}/delete'],
  ['GET services', { token: 'stw_none' }, ANONYMOUS],
];

/** The last ones: they list everything that the series has changed. */
export const AUDIT_ROWS: readonly Row[] = [
  ['GET security/audit', { target: 'user clerk' }],
  ['GET security/audit', { who: 'paul', limit: '5' }],
  ['GET security/audit/export'],
  ['GET security/audit/export', { after: '5', who: 'nobody' }],
];
