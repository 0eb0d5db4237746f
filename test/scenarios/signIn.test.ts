import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const PASSWORD = 'password-of-the-test';

describe('[ACC5] signing in behind a proxy', () => {
  let steward: InProcessServer;
  beforeAll(async () => {
    steward = await startInProcess({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
    await steward.tokenOf('viewer');
  });
  afterAll(() => steward.close());

  const signIn = async (password: string, forwardedFor: string) =>
    (await steward.post('/admin/generateToken', { username: 'viewer', password }, { 'x-forwarded-for': forwardedFor }))
      .status;

  test('an address with another port, another notation or another chain of proxies is the same address', async () => {
    const spellings = [
      '198.51.100.1',
      '198.51.100.1:1001',
      '198.51.100.1:1002',
      '::ffff:198.51.100.1',
      '[::ffff:198.51.100.1]:1003',
      '203.0.113.5, 198.51.100.1:1004',
      '198.51.100.1:1005, 10.0.0.9',
      '198.51.100.1, 10.0.0.9:80, 10.0.0.8:81',
      '203.0.113.6:7, 198.51.100.1:1, [::ffff:10.0.0.7]:80',
      'unknown, 198.51.100.1',
    ];
    for (const one of spellings) expect([one, await signIn('wrong', one)]).toEqual([one, 400]);
    for (const one of spellings) expect([one, await signIn(PASSWORD, one)]).toEqual([one, 429]);
    expect(await signIn(PASSWORD, '198.51.100.2')).toBe(200);
  });

  test('failed, throttled and successful sign-ins are metrics', async () => {
    const { text } = await steward.get('/metrics');
    expect(text).toMatch(/steward_sign_ins_total\{outcome="succeeded"\} [1-9]/);
    expect(text).toMatch(/steward_sign_ins_total\{outcome="failed"\} 10/);
    expect(text).toMatch(/steward_sign_ins_total\{outcome="throttled"\} 10/);
  });
});
