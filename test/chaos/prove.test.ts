import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProofReport } from '../../src/cli/prove/report.ts';
import { EXIT } from '../../src/cli/remote/exitCodes.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { runSteward } from '../support/server/stewardProcess.ts';
import { eachStore } from '../support/store/stores.ts';
import type { StoreKind } from '../support/store/stores.ts';
import { IS_SOAK } from '../support/run/limits.ts';

const SECONDS = IS_SOAK ? '180' : '20';

eachStore((kind) => {
  let made: Awaited<ReturnType<StoreKind['place']>>;
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = temporaryFolder();
    made = await kind.place();
  });
  afterEach(async () => {
    await made.remove();
    folder.remove();
  });

  async function prove(what: string): Promise<{ readonly code: number | null; readonly report: ProofReport }> {
    const store = kind.engine === 'postgres' ? ['--store', made.place.at] : [];
    const env = { TMPDIR: folder.path };
    const args = ['prove', what, '--seconds', SECONDS, '--seed', '11', '--json', ...store];
    const { status, stdout, stderr } = await runSteward(args, { env });
    if (stdout === '') throw new Error(stderr);
    return { code: status, report: JSON.parse(stdout) as ProofReport };
  }

  describe('[DEC102] steward prove', () => {
    test('the promises about deliveries are kept', async () => {
      const { code, report } = await prove('deliveries');
      expect(report.broken).toEqual([]);
      expect(report.figures['lost']).toBe(0);
      expect(report.figures['events accepted']).toBeGreaterThan(50);
      expect(report.kills).toBeGreaterThan(0);
      expect(report.freezes).toBeGreaterThan(0);
      expect(code).toBe(EXIT.done.code);
    });

    test('the promises about upgrades are kept', async () => {
      const { code, report } = await prove('upgrades');
      expect(report.broken).toEqual([]);
      expect(report.figures['upgrades and rollbacks']).toBeGreaterThan(0);
      expect(report.kills).toBeGreaterThan(0);
      expect(code).toBe(EXIT.done.code);
    });
  });
});
