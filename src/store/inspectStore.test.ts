import { expect, test } from 'vitest';
import { changeRows, eachStore, placeForEachTest } from '../../test/support/store/stores.ts';
import { inspectStore } from './inspectStore.ts';

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[DEC101] the report on a store of this version has its level, and no difference', async () => {
    await (await at.open()).close();
    const report = await inspectStore(at.place());
    expect(report).toMatchObject({ level: report?.ownLevel, differences: [], damage: undefined });
  });

  test('[DEC101] the report on a store without one of its tables names the table', async () => {
    await (await at.open()).close();
    await changeRows(at.place(), 'drop table attempt');
    const report = await inspectStore(at.place());
    expect(report?.differences?.join()).toContain('attempt');
  });

  test('[DEC101] there is no report on an empty place', async () => {
    // A database of the tests has the tables already; an empty file is not there.
    if (kind.engine === 'postgres') await changeRows(at.place(), 'drop table schema_migration');
    expect(await inspectStore(at.place())).toBeUndefined();
  });
});
