import { describe, expect, test } from 'vitest';
import { SECOND } from '../../src/foundation/clock.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { startDatabaseProxy } from '../support/store/databaseProxy.ts';
import { postgresKind } from '../support/store/stores.ts';

const MIB = 1024 * 1024;

async function metricsOf(options: Partial<ServerOptions>): Promise<string> {
  const steward = await startInProcess(options);
  const { text } = await steward.get('/metrics');
  await steward.close();
  return text;
}

describe('[DEC81] the metrics of a replica', () => {
  test('a replica without problems is ready, and its store is up', async () => {
    const text = await metricsOf({ checkStore: async () => ({ obstacles: [], tookMs: 12 }) });
    for (const line of ['steward_ready 1', 'steward_store_up 1', 'steward_store_answer_seconds 0.012'])
      expect(text).toContain(`${line}\n`);
    expect(text).not.toMatch(/^steward_tls_certificate_expires_seconds/m);
  });

  test('a replica whose store has a problem is not up, and one with any problem is not ready', async () => {
    const store = { obstacles: ['the store does not answer'], tookMs: 2 * SECOND };
    const text = await metricsOf({ checkStore: async () => store, obstacles: async () => store.obstacles });
    expect(text).toContain('steward_ready 0\n');
    expect(text).toContain('steward_store_up 0\n');
  });

  test('the free space and the watermark are bytes, and a folder that is gone has no free space', async () => {
    const text = await metricsOf({ disk: () => ({ freeBytes: 300 * MIB, watermarkBytes: 256 * MIB }) });
    expect(text).toContain(`steward_disk_free_bytes ${300 * MIB}\n`);
    expect(text).toContain(`steward_disk_watermark_bytes ${256 * MIB}\n`);
    const gone = await metricsOf({ disk: () => ({ freeBytes: undefined, watermarkBytes: 256 * MIB }) });
    expect(gone).not.toMatch(/^steward_disk_free_bytes/m);
  });

  test('the certificate is shown with the second in which it expires', async () => {
    expect(await metricsOf({ certificateExpiresAt: () => 1_800_000_000_000 })).toContain(
      'steward_tls_certificate_expires_seconds 1800000000\n',
    );
  });

  test('[DEC90] dropped lines of the log are counted', async () => {
    expect(await metricsOf({ droppedLogLines: () => 7 })).toContain('steward_log_dropped_lines_total 7\n');
  });

  test('webhooks and waiting deliveries are counted by state', async () => {
    const steward = await startInProcess();
    const token = await steward.tokenOf('administrator');
    await steward.must('/admin/services/createService', { token, serviceName: 'Orders', type: 'Map' });
    const hooks = '/admin/services/Orders.Map/webhooks';
    const make = (name: string) => steward.must(`${hooks}/create`, { token, name, hookUrl: 'http://203.0.113.1/' });
    await make('one');
    const { webhook } = await make('other');
    await steward.must(`${hooks}/${webhook.id}/deactivate`, { token });
    await steward.must('/admin/services/Orders.Map/events', { token, event: 'placed', payload: '1' });
    const { text } = await steward.get('/metrics');
    for (const line of [
      'steward_webhooks{state="active"} 1',
      'steward_webhooks{state="inactive"} 1',
      'steward_webhook_deliveries{state="pending"} 1',
      'steward_webhook_deliveries{state="held"} 1',
    ])
      expect(text).toContain(`${line}\n`);
    await steward.close();
  });
});

describe.skipIf(!postgresKind.isHere)(`[DEC81] the metrics ${postgresKind.title}`, () => {
  test('while PostgreSQL cannot be reached, the metrics answer, lack what is in the store, and say that it is away', async ({
    onTestFinished,
  }) => {
    const { place, remove } = await postgresKind.place();
    onTestFinished(() => remove());
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    let isAway = false;
    const proxy = await startDatabaseProxy(place.at, () => (isAway ? 'cut' : 'pass'));
    onTestFinished(() => proxy.close());
    const steward = await startSteward({ data: folder.path, env: { STEWARD_STORE: proxy.url } });
    onTestFinished(async () => void (await steward.end('SIGKILL')));
    expect((await steward.get('/metrics')).text).toContain('steward_store_up 1\n');
    isAway = true;
    await until('the replica notices it', async () => (await steward.get('/metrics')).text.includes('_store_up 0\n'));
    const { status, text } = await steward.get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('steward_ready 0\n');
    expect((await steward.get('/readyz')).body.reasons).toContain('the store cannot be reached');
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).toMatch(/^steward_webhook_attempts_total\{outcome="delivered"\} \d/m);
    expect(text).not.toMatch(/^steward_(upgrade|webhooks|webhook_deliveries|webhook_oldest_due)/m);
    isAway = false;
    await until('the replica is back', async () => (await steward.get('/metrics')).text.includes('steward_ready 1\n'));
  });
});
