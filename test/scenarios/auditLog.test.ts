import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/foundation/clock.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const EXPORT = '/admin/security/audit/export';

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess({}, { auditRetentionDays: 1 });
  token = await steward.tokenOf('administrator');
  for (const serviceName of ['One', 'Two', 'Three'])
    await steward.must('/admin/services/createService', { token, serviceName, type: 'Map', description: 'a\nb ☂' });
});
afterAll(() => steward.close());

const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1);

describe('[DEC69] the export of the audit log', () => {
  test('each line is an entry as the audit log shows it, oldest first', async () => {
    const { entries } = await steward.must('/admin/security/audit', { token });
    const { status, headers, text } = await steward.post(EXPORT, { token });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toContain("filename*=UTF-8''audit.jsonl");
    expect(entries.length).toBeGreaterThan(3);
    expect(linesOf(text)).toEqual(entries.toReversed().map((entry: object) => JSON.stringify(entry)));
    expect((await steward.get(`${EXPORT}?token=${token}`)).text).toBe(text);
  });

  test('entries are selected by target, user and time, and an interrupted export goes on after its last id', async () => {
    const whole = linesOf((await steward.post(EXPORT, { token })).text);
    const { id } = JSON.parse(whole[1] ?? '');
    const rest = await steward.post(EXPORT, { token, after: String(id) });
    expect(linesOf(rest.text)).toEqual(whole.slice(2));
    const target = await steward.post(EXPORT, { token, target: 'service Two.Map' });
    expect(linesOf(target.text)).toEqual([expect.stringContaining('"target":"service Two.Map"')]);
    expect((await steward.post(EXPORT, { token, until: '2020-01-01T00:00:00Z' })).text).toBe('');
  });

  test('the format is JSON lines whatever f is, and HEAD has no body', async () => {
    const { text, headers } = await steward.post(EXPORT, { token, f: 'html' });
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    expect(linesOf(text).length).toBeGreaterThan(3);
    const head = await steward.app.inject({ method: 'HEAD', url: `${EXPORT}?token=${token}` });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  test('only administrators may export, and the fields of a page are refused', async () => {
    expect((await steward.post(EXPORT, { token: await steward.tokenOf('publisher') })).status).toBe(403);
    expect((await steward.post(EXPORT, {})).status).toBe(401);
    const { status, body } = await steward.post(EXPORT, { token, limit: '5' });
    expect([status, body.error.details]).toEqual([400, [expect.stringContaining('limit')]]);
  });
});

test('[DEC70] the server removes entries that are older than the setting, and says so in the log', async () => {
  const { entries } = await steward.must('/admin/security/audit', { token });
  const now = steward.clock.now();
  steward.clock.advance(2 * DAY);
  await steward.areas.access.runHousekeeping(new AbortController().signal);
  const later = await steward.tokenOf('administrator');
  const left = await steward.must('/admin/security/audit', { token: later, until: String(now + 3 * DAY) });
  expect(left.entries).toMatchObject([
    {
      who: 'steward',
      from: 'local',
      action: 'audit.prune',
      target: 'audit log',
      after: { entriesBefore: now + DAY, removed: entries.length },
    },
  ]);
});
