import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eachStore, placeForEachTest } from '../../../test/support/store/stores.ts';
import { createSealer } from '../../foundation/sealer.ts';
import { inspectStore } from '../../store/inspectStore.ts';
import { checkMasterKey } from './keyChecks.ts';

const SETTINGS = { data: '/data', masterKeyFile: undefined };
const [KEY, OTHER_KEY] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[DEC121] doctor fails if the key of kept objects is missing', async () => {
    const { upgrades } = await at.open();
    const sealer = createSealer([KEY]);
    await upgrades.keepContents('job', new Map(['a', 'b'].map((digest) => [digest, sealer.seal('content')])));
    const report = await inspectStore(at.place());
    expect(report?.objectKeyMarks).toHaveLength(1);
    expect(checkMasterKey(SETTINGS, [OTHER_KEY, KEY], report)).toMatchObject({ verdict: 'pass' });
    expect(checkMasterKey(SETTINGS, undefined, report)).toMatchObject({ verdict: 'fail' });
    expect(checkMasterKey(SETTINGS, [OTHER_KEY], report)).toMatchObject({
      verdict: 'fail',
      text: `${join('/data', 'master.key')} lacks the key of objects that the last upgrade has kept for its undo. They cannot be restored without it.`,
    });
  });
});
