import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localActor } from '../model/actor.ts';
import type { InProcessServer } from '../../test/support/server/inProcessServer.ts';
import { startInProcess } from '../../test/support/server/inProcessServer.ts';
import { demoSignIn } from './demoSignIn.ts';

const [USERNAME, PASSWORD] = ['admin', 'the-first-password-of-the-demo'];

describe('[DEC65] the sign-in of the demo with one click', () => {
  let steward: InProcessServer;
  let known: string | undefined = PASSWORD;

  beforeAll(async () => {
    const access = {
      signIn: (...given: Parameters<typeof steward.areas.access.signIn>) => steward.areas.access.signIn(...given),
    };
    steward = await startInProcess({ demoRoutes: demoSignIn({ access, username: USERNAME, password: () => known }) });
    const account = { username: USERNAME, password: PASSWORD, role: 'administrator', fullName: '' } as const;
    await steward.areas.access.accounts.create(localActor('test'), account);
  });
  afterAll(() => steward.close());

  const signIn = (host: string, remoteAddress = '127.0.0.1') =>
    steward.app.inject({ method: 'POST', url: '/admin/demo/login', headers: { host }, remoteAddress });

  test.each(['127.0.0.1:6080', 'localhost:6080', '[::1]:6080'])('works at %s', async (host) => {
    const answer = await signIn(host);
    expect([answer.statusCode, answer.json().username]).toEqual([200, USERNAME]);
    expect(answer.headers['set-cookie']).toMatch(/HttpOnly.*SameSite=Strict/i);
  });

  test.each([
    ['from another machine', '127.0.0.1:6080', '192.0.2.7'],
    ['under a name that only resolves to this machine', 'pages.example:6080', '127.0.0.1'],
    ['under a name that begins like an own one', 'localhost.pages.example', '127.0.0.1'],
  ])('is refused %s', async (_title, host, address) => {
    const answer = await signIn(host, address);
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });

  test('is refused after the password was changed', async () => {
    known = undefined;
    expect((await signIn('127.0.0.1:6080')).statusCode).toBe(403);
    known = PASSWORD;
  });
});
