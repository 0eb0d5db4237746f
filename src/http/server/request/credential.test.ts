import { describe, expect, test } from 'vitest';
import type { Form } from './form.ts';
import { findCredential, findSoapCredential, sessionCookie, tokenMissing } from './credential.ts';

const NONE = {};
const INSTALLATION = 'the-id-12345678';
const head = (method: string, headers: Readonly<Record<string, string>> = {}) => ({ method, headers });
function find(request: ReturnType<typeof head>, body: Form, query: Form, isCompat = false) {
  return findCredential(request, body, query, {
    isCompat,
    cookie: () => sessionCookie({ isSecure: false, prefix: '', installation: INSTALLATION }),
  });
}
const ALL = { authorization: 'Bearer from-bearer', cookie: 'other=1; steward_session_12345678=from-cookie' };

describe('the credential of a request with a form', () => {
  test.each([
    ['the form', head('POST', ALL), { token: 'from-form' }, { token: 'from-query' }, 'from-form'],
    ['Bearer', head('GET', ALL), NONE, { token: 'from-query' }, 'from-bearer'],
    ['the query', head('GET', { cookie: ALL.cookie }), NONE, { token: 'from-query' }, 'from-query'],
    ['the cookie', head('GET', { cookie: ALL.cookie }), NONE, NONE, 'from-cookie'],
  ])('is taken from %s before those that follow', (_name, request, body, query, secret) => {
    expect(find(request, body, query)?.secret).toBe(secret);
  });

  test('is taken under https from the cookie with the prefix only', () => {
    const [plain, prefixed] = ['steward_session_12345678=plain', '__Host-steward_session_12345678=prefixed'];
    const under = (isSecure: boolean, cookie: string, prefix = '') =>
      findCredential(head('GET', { cookie }), NONE, NONE, {
        isCompat: false,
        cookie: () => sessionCookie({ isSecure, prefix, installation: INSTALLATION }),
      })?.secret;
    expect(under(true, `${plain}; ${prefixed}`)).toBe('prefixed');
    expect(under(true, plain)).toBeUndefined();
    expect(under(false, `${prefixed}; ${plain}`)).toBe('plain');
    expect(under(true, `${prefixed}; __Secure-steward_session_12345678=below`, '/steward')).toBe('below');
    expect(under(true, prefixed, '/steward')).toBeUndefined();
  });

  test('[ACC16] is not taken from the cookie of another installation, nor from one without an installation', () => {
    const other = sessionCookie({ isSecure: false, prefix: '', installation: 'the-id-87654321' });
    expect(find(head('GET', { cookie: `${other}=theirs; steward_session=old` }), NONE, NONE)).toBeUndefined();
    expect(find(head('GET', { cookie: `${other}=theirs; ${ALL.cookie}` }), NONE, NONE)?.secret).toBe('from-cookie');
  });

  test('is marked if it comes from the cookie, because a write then needs a CSRF token', () => {
    expect(find(head('POST', { cookie: ALL.cookie }), NONE, NONE)).toEqual({
      secret: 'from-cookie',
      isCookie: true,
    });
    expect(find(head('POST', ALL), NONE, NONE)).toEqual({ secret: 'from-bearer', isCookie: false });
  });

  test('is not taken from the query of a POST, and the refusal says so', () => {
    const query = { token: 'from-query' };
    expect(find(head('POST'), NONE, query)).toBeUndefined();
    expect(tokenMissing(head('POST'), query).details[0]).toContain('not in the query');
    expect(tokenMissing(head('GET'), NONE).details[0]).toContain('generateToken issues one');
  });

  test.each(['Basic YTpi', 'Bearer', 'Bearer  ', 'Token abc'])('is not read from Authorization: %s', (value) => {
    expect(find(head('GET', { authorization: value }), NONE, NONE)).toBeUndefined();
  });

  test.each(['Bearer two words', 'Bearer "x"', 'Bearer a,b'])('[CAT7] is refused if it is %s', (authorization) => {
    expect(() => find(head('GET', { authorization }), NONE, NONE)).toThrow('Invalid token.');
    expect(() => findSoapCredential(head('POST', { authorization }), NONE, undefined)).toThrow('Invalid token.');
  });

  test('is refused if it was sent more than once', () => {
    expect(() => find(head('POST'), { token: ['a', 'b'] }, NONE)).toThrow(/invalid/i);
    expect(() => find(head('GET'), NONE, { token: ['a', 'b'] })).toThrow(/invalid/i);
  });

  test('is absent if the field or the cookie is empty', () => {
    expect(find(head('POST', { cookie: 'steward_session_12345678=' }), { token: '' }, NONE)).toBeUndefined();
  });
});

describe('the credential of a SOAP request', () => {
  test('is taken from the query, then Bearer, then the password, also by POST', () => {
    expect(findSoapCredential(head('POST', ALL), { token: 'from-query' }, 'password')?.secret).toBe('from-query');
    expect(findSoapCredential(head('POST', ALL), NONE, 'password')?.secret).toBe('from-bearer');
    expect(findSoapCredential(head('POST'), NONE, 'password')?.secret).toBe('password');
  });

  test('[REQ3] is refused if it was sent more than once', () => {
    expect(() => findSoapCredential(head('POST'), { token: ['a', 'b'] }, 'password')).toThrow('Invalid token.');
  });

  test('is never the cookie, and is absent if the password is empty', () => {
    expect(findSoapCredential(head('POST', { cookie: ALL.cookie }), NONE, '')).toBeUndefined();
  });
});
