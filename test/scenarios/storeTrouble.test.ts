import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { runSteward, startSteward } from '../support/server/stewardProcess.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { SmallDisk } from '../support/store/smallDisk.ts';
import { hasSmallDisk, makeSmallDisk } from '../support/store/smallDisk.ts';

let folder: ReturnType<typeof temporaryFolder>;
let data: string;
let running: StewardProcess | undefined;
let disk: SmallDisk | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
  running = undefined;
  disk = undefined;
});
afterEach(async () => {
  await running?.end('SIGKILL');
  disk?.remove();
  folder.remove();
});

async function start(at: string, ...args: readonly string[]): Promise<StewardProcess> {
  running = await startSteward({ data: at, args });
  return running;
}

async function failedStart(at: string, ...args: readonly string[]) {
  const { status, stderr } = await runSteward(['serve', '--port', '0', '--data', at, ...args]);
  return { status, said: stderr };
}

const readiness = async ({ url }: StewardProcess) => {
  const response = await fetch(`${url}/readyz`);
  const { reasons = [] } = (await response.json()) as { readonly reasons?: readonly string[] };
  return { status: response.status, reasons };
};

describe('[STO4] the file of the store disappears while the server runs', () => {
  test.each([
    ['the data folder is removed', () => rmSync(data, { recursive: true })],
    ['the data folder is moved away', () => renameSync(data, `${data}.old`)],
  ])('when %s, the server is not ready and refuses writes with 503', async (_how, act) => {
    const steward = await start(data);
    const token = await steward.token();
    expect((await readiness(steward)).status).toBe(200);
    act();
    const refused = await steward.post('/admin/services/createFolder', { token, folderName: 'Lost' });
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { code: 503, message: expect.stringContaining('was removed or replaced') } },
    });
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(refused.text).not.toContain(data);
    expect(await readiness(steward)).toEqual({
      status: 503,
      reasons: expect.arrayContaining([expect.stringContaining('was removed or replaced')]),
    });
    await until('the log has the advice', () => steward.log().includes('put it back, or stop Steward'));
    expect(await steward.end('SIGTERM')).toBe(0);
  });
});

describe('[STO4] a start that finds trouble', () => {
  test('a store with damaged pages ends the start with the cause and with advice that keeps the store', async () => {
    const steward = await start(data);
    await steward.end('SIGTERM');
    const file = join(data, 'steward.db');
    writeFileSync(file, readFileSync(file).fill(0xff, 2 * 4096, 20 * 4096));
    const { status, said } = await failedStart(data);
    expect(status).toBe(2);
    expect(said).toContain('it is damaged');
    expect(said).toContain('Nothing was changed. Copy its folder to a safe place first.');
    expect(said).not.toContain('a bug');
  });

  test.skipIf(!hasSmallDisk)('a full disk is called full, on the first start and on a later one', async () => {
    disk = makeSmallDisk();
    const at = disk?.path ?? '';
    const steward = await start(at, '--disk-watermark-mib', '0');
    await steward.end('SIGTERM');
    disk?.fill();
    const outcomes = [await failedStart(at), await failedStart(join(at, 'new'))];
    for (const { status, said } of outcomes) {
      expect(said).toMatch(/disk is full|no space left/i);
      expect(said).not.toMatch(/restore|a bug/i);
      expect(status).toBe(1);
    }
    rmSync(join(at, 'filling'));
    await start(at, '--disk-watermark-mib', '0');
  });

  test.skipIf(!hasSmallDisk)(
    'a read-only disk is called read-only, and nothing but the rights is to be changed',
    async () => {
      disk = makeSmallDisk();
      const at = disk?.path ?? '';
      await (await start(at, '--disk-watermark-mib', '0')).end('SIGTERM');
      disk?.makeReadOnly();
      const { status, said } = await failedStart(at);
      expect(status).toBe(2);
      expect(said).toContain('it is not writable');
      expect(said).toContain('Make the folder and its files writable');
      expect(said).not.toMatch(/restore|a bug/i);
    },
  );
});

describe('[STO3] [DEC21] a full disk while the server runs', () => {
  test.skipIf(!hasSmallDisk)(
    'with a watermark of 0 a full disk is reported by /readyz, and writes are refused until there is room',
    async () => {
      disk = makeSmallDisk();
      const at = disk?.path ?? '';
      const steward = await start(at, '--disk-watermark-mib', '0');
      const token = await steward.token();
      disk?.fill();
      await until('/readyz reports it', async () => (await readiness(steward)).status === 503);
      expect((await readiness(steward)).reasons.join()).toMatch(/MiB of disk are free|the disk is full/);
      const refused = await steward.post('/admin/services/createFolder', { token, folderName: 'F' });
      expect(refused.status).toBe(503);
      rmSync(join(at, 'filling'));
      await until('the server is ready again', async () => (await readiness(steward)).status === 200);
      expect((await steward.post('/admin/services/createFolder', { token, folderName: 'F' })).status).toBe(200);
    },
  );

  test.skipIf(!hasSmallDisk)('a backup to a full disk fails with the cause and leaves nothing behind', async () => {
    disk = makeSmallDisk();
    const at = disk?.path ?? '';
    await (await start(data)).end('SIGTERM');
    disk?.fill();
    const { status, stderr } = await runSteward(['backup', join(at, 'copy.db'), '--data', data]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/disk is full/) });
    expect(readdirSync(at)).toEqual(['filling']);
  });
});
