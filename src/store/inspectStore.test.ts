import { expect, test } from 'vitest';
import { eachStore, placeForEachTest } from '../../test/support/store/stores.ts';
import { inspectStore } from './inspectStore.ts';

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[DEC101] the report on a store of this version has its level, and no difference', async () => {
    await (await at.open()).close();
    const report = await inspectStore(at.place());
    expect(report).toMatchObject({ level: report?.ownLevel, differences: [], damage: undefined });
  });
});
