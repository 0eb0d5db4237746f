import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/foundation/clock.ts';
import { FRESH_MS, MAX_AGE_MS, MAX_NAMES } from '../../src/drivers/receiver/addresses/nameCache.ts';
import { ANSWER_LIMIT } from '../../src/drivers/receiver/exchange/answerText.ts';
import { IDLE, MAX_CONNECTION_AGE_MS, MAX_HEAD_BYTES } from '../../src/drivers/receiver/receiver.ts';
import { SETTINGS } from '../../src/service/settings/settings.ts';
import { pauseAfter } from '../../src/webhooks/delivery/attemptRules.ts';
import { MAX_PAYLOAD } from '../../src/wire/fields/webhookFields.ts';
import { PROJECT } from '../support/run/project.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const PAGE = readFileSync(join(PROJECT, 'docs/receivers.md'), 'utf8');
const KIB = 1024;
const SLOTS = SETTINGS.webhookConcurrencyEach.defaultValue;

let steward: InProcessServer;
beforeAll(async () => {
  steward = await startInProcess();
});
afterAll(() => steward.close());

/** The cells of the rows below a heading, without the head of the table. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const section = PAGE.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => cells.split(' | '));
  return rows.slice(1);
}

/** The longest pause that a receiver can ask for. */
function longestPause(): number | undefined {
  const refused = { kind: 'refused', status: 503, reason: '', answer: '', durationMs: 1, retryAfterMs: 1e12 } as const;
  return pauseAfter({ outcome: refused, endedAt: 0 }, { receiverSignals: true });
}

const seconds = (ms: number): string => `${ms / SECOND} s`;

test('[W29] the numbers of docs/receivers.md are those of the code', async () => {
  const token = await steward.tokenOf('administrator');
  const policy = await steward.must('/admin/services/webhooks/settings', { token });
  expect(rowsBelow('At a glance').map(([, number]) => number)).toEqual([
    `${policy.notificationTimeOutInSeconds} s by default`,
    `${policy.notificationAttempts} by default`,
    `${policy.notificationElapsedTimeInSeconds} s by default`,
    `${SLOTS} by default`,
    `${SETTINGS.webhookConcurrency.defaultValue} by default`,
    `${SETTINGS.webhookPace.defaultValue} per second by default`,
    seconds(IDLE.keepAliveTimeout),
    `the announced time less ${seconds(IDLE.keepAliveTimeoutThreshold)}, at most ${seconds(IDLE.keepAliveMaxTimeout)}`,
    seconds(MAX_CONNECTION_AGE_MS),
    seconds(FRESH_MS),
    `${MAX_AGE_MS / MINUTE} min`,
    MAX_NAMES.toLocaleString('en'),
    `${MAX_HEAD_BYTES / KIB} KiB`,
    `${ANSWER_LIMIT / KIB} KiB`,
    `${MAX_PAYLOAD / KIB} KiB`,
    `${(longestPause() ?? 0) / HOUR} h`,
  ]);
});

test('[W29] the rates of docs/receivers.md are the slots of a webhook divided by the time of an answer', () => {
  const rates = rowsBelow('Rate').map(([time = '', rate]) => {
    const [, count = '', unit] = /^(\d+) (ms|s)/.exec(time) ?? [];
    const perSecond = SLOTS / (unit === 'ms' ? Number(count) / 1000 : Number(count));
    return [rate, `${perSecond.toLocaleString('en')} per second`];
  });
  expect(rates).toHaveLength(4);
  for (const [shown, computed] of rates) expect(shown).toBe(computed);
});

describe('[W29] the settings of docs/receivers.md', () => {
  const IDLE_SECONDS = IDLE.keepAliveTimeout / SECOND;

  test('every server keeps idle connections for longer than Steward uses them', () => {
    const set = rowsBelow('Connections').map(([server = '', setting = '']) => {
      const [, count = '', unit] = /(\d[\d_]*)(?:\s*(m|s)\b)?/.exec(setting) ?? [];
      const number = Number(count.replaceAll('_', ''));
      return [server, unit === 'm' ? number * 60 : number >= 1000 ? number / 1000 : number] as const;
    });
    expect(set.map(([server]) => server)).toEqual([
      'nginx',
      'Apache',
      'HAProxy',
      'Caddy',
      'uvicorn',
      'gunicorn',
      'Puma',
      'Node',
    ]);
    expect(set.filter(([, idle]) => !(idle > IDLE_SECONDS))).toEqual([]);
  });

  test('every server that has a row for connections has one for certificates', () => {
    const names = (heading: string) => rowsBelow(heading).map(([server]) => server);
    expect(names('Certificates')).toEqual(names('Connections'));
  });
});
