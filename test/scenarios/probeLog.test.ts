import { afterEach, expect, test } from 'vitest';
import type { RequestLine } from '../../src/foundation/log.ts';
import { silentLog } from '../../src/foundation/log.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer | undefined;
afterEach(() => steward?.close());

test('[O2] a probe is a line of the log only if its status differs from that of the last one', async () => {
  const obstacles: string[] = [];
  const lines: RequestLine[] = [];
  const log = { ...silentLog, request: (line: RequestLine) => void lines.push(line) };
  steward = await startInProcess({ obstacles: async () => obstacles, log });
  const { get } = steward;
  for (let n = 0; n < 3; n += 1) await get('/readyz');
  obstacles.push('the disk is full');
  for (let n = 0; n < 3; n += 1) await get('/readyz');
  obstacles.pop();
  for (const path of ['/readyz', '/healthz', '/healthz', '/rest/info', '/rest/info']) await get(path);
  await expect.poll(() => lines.filter(({ path }) => path === '/rest/info').length).toBe(2);
  expect(lines.map(({ path, status }) => `${path} ${status}`)).toEqual([
    '/readyz 200',
    '/readyz 503',
    '/readyz 200',
    '/healthz 200',
    '/rest/info 200',
    '/rest/info 200',
  ]);
});
