import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { eachStore, placeForEachTest, rowsOf } from '../../../test/support/store/stores.ts';
import { testVersion } from '../../../test/support/upgrades/testVersion.ts';
import { localActor } from '../../model/actor.ts';
import { silentDecision } from '../../model/decision.ts';
import { newJob } from '../../jobs/jobStore.ts';

const by = localActor('tester');
const [ONE, OTHER] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`];
const BYTES = Buffer.from('{"kind":"ConfigMap"}\n'.repeat(1000));

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[OBJ1] a bundle is kept once, compressed, and comes back byte for byte', async () => {
    const { upgrades } = await at.open();
    expect(await upgrades.bundle(ONE)).toBeUndefined();
    await upgrades.keepBundle(ONE, Buffer.from('damaged'));
    await upgrades.keepBundle(ONE, BYTES);
    expect(await upgrades.bundle(ONE)).toStrictEqual(BYTES);
    expect((await upgrades.facts()).bundles).toStrictEqual(new Set([ONE]));
    const [kept] = await rowsOf(at.place(), 'object_bundle');
    expect(Number(kept?.['size'])).toBe(BYTES.length);
    expect(String(kept?.['content']).length).toBeLessThan(BYTES.length / 10);
  });

  test('[OBJ1] a bundle of a change is written with it, or not at all', async () => {
    const { upgrades } = await at.open();
    const addVersions = { versions: [testVersion('rel_11.0')], product: 'Product', signed: undefined };
    const note = { action: 'manifest.import', target: 'manifest' };
    const addBundle = { checksum: ONE, size: BYTES.length, gzip: gzipSync(BYTES) };
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const failing = upgrades.change(by, () => silentDecision({ addVersions, addBundle }, { ...note, after: circular }));
    await expect(failing).rejects.toThrow(/circular/);
    expect(await upgrades.facts()).toMatchObject({ bundles: new Set(), known: [] });
    await upgrades.change(by, () => silentDecision({ addVersions, addBundle }, note));
    expect(await upgrades.facts()).toMatchObject({ bundles: new Set([ONE]), known: [{ id: 'rel_11.0' }] });
    expect(await upgrades.bundle(ONE)).toStrictEqual(BYTES);
  });

  test('[OBJ6] an installed version names the bundle that is in force with it', async () => {
    const { upgrades } = await at.open();
    const adopted = { version: testVersion('rel_11.0'), at: 1, how: 'adopt', by: 'tester', job: undefined, before: [] };
    const install = [
      { ...adopted, how: 'adopt' as const },
      { ...adopted, how: 'adopt' as const, objects: OTHER },
    ];
    await upgrades.change(by, () => silentDecision({ install }, { action: 'version.adopt', target: 'rel_11.0' }));
    expect((await upgrades.facts()).installed.map(({ objects }) => objects)).toStrictEqual([undefined, OTHER]);
  });

  test('[OBJ7] contents are kept for each job, and those that are there stay as they are', async () => {
    const { upgrades } = await at.open();
    const many = new Map(Array.from({ length: 1200 }, (_, n) => [`digest${n}`, `sealed "${n}" {\\}`]));
    await upgrades.keepContents('one', many);
    await upgrades.keepContents(
      'one',
      new Map([
        ['digest0', 'changed'],
        ['more', 'new'],
      ]),
    );
    await upgrades.keepContents('other', new Map([['digest0', 'of the other']]));
    await upgrades.keepContents('none', new Map());
    expect(await upgrades.contents('one')).toStrictEqual(new Map([...many, ['more', 'new']]));
    expect(await upgrades.contents('other')).toStrictEqual(new Map([['digest0', 'of the other']]));
    expect(await upgrades.contents('none')).toStrictEqual(new Map());
    expect((await upgrades.facts()).keptObjects).toStrictEqual(new Set(['one', 'other']));
  });

  test('[OBJ7] a change drops the contents of all jobs but those that it names', async () => {
    const { upgrades } = await at.open();
    for (const job of ['one', 'two', 'three']) await upgrades.keepContents(job, new Map([['digest', job]]));
    const drop = (...except: readonly string[]) =>
      upgrades.change(by, () => silentDecision({ dropContents: { except } }, { action: 'test', target: 'test' }));
    await drop('two', 'unknown');
    expect((await upgrades.facts()).keptObjects).toStrictEqual(new Set(['two']));
    await drop();
    expect((await upgrades.facts()).keptObjects).toStrictEqual(new Set());
  });

  test('[OBJ7] contents are sealed again in batches, and those that cannot be opened are counted', async () => {
    const { upgrades } = await at.open();
    const contents = new Map(Array.from({ length: 450 }, (_, n) => [`digest${n}`, `old ${n}`]));
    await upgrades.keepContents('one', new Map([...contents, ['new', 'new 1'], ['lost', 'lost 1']]));
    await upgrades.keepContents('two', contents);
    const reseal = (sealed: string): string | undefined => {
      if (sealed.startsWith('lost')) throw new Error('no key');
      return sealed.startsWith('new') ? undefined : sealed.replace('old', 'new');
    };
    expect(await upgrades.resealContents(reseal)).toStrictEqual({ resealed: 900, failed: 1 });
    expect(await upgrades.resealContents(reseal)).toStrictEqual({ resealed: 0, failed: 1 });
    const resealed = await upgrades.contents('one');
    expect([resealed.get('digest449'), resealed.get('new'), resealed.get('lost')]).toStrictEqual([
      'new 449',
      'new 1',
      'lost 1',
    ]);
  });

  test('[OBJ7] the end of a job drops contents in its own transaction', async () => {
    const { jobs, upgrades } = await at.open();
    const job = newJob({ id: 'two', kind: 'upgrade', task: {}, cursor: {}, total: 1, startedBy: 'tester', started: 1 });
    const addJob = { job, usesUpload: undefined, addUpload: undefined, entries: [], messages: [] };
    await upgrades.change(by, () => silentDecision({ addJob }, { action: 'test', target: 'test' }));
    for (const id of ['one', 'two']) await upgrades.keepContents(id, new Map([['digest', id]]));
    const claimed = await jobs.claimJob('owner', ['upgrade'], 1, 2);
    if (claimed === undefined) throw new Error('the job was not claimed');
    const change = { progress: { state: 'succeeded' as const }, dropContents: { except: ['two'] } };
    const decide = () => silentDecision(change, { action: 'test', target: 'test' });
    expect(await upgrades.conclude({ ...claimed.lease, fence: 0 }, by, decide)).toBe('lost');
    expect((await upgrades.facts()).keptObjects).toStrictEqual(new Set(['one', 'two']));
    expect(await upgrades.conclude(claimed.lease, by, decide)).toBe('written');
    expect((await upgrades.facts()).keptObjects).toStrictEqual(new Set(['two']));
  });
});
