import { describe, expect, test } from 'vitest';
import { objectName } from '../../../../src/model/objects/bundleObject.ts';
import type { ObjectsUnderTest } from './objectActs.ts';
import { actOn, openedObjects, removal } from './objectActs.ts';

/** The part of the contract that is about objects which are rolled out. */
export function workloadObjectContract(open: () => Promise<ObjectsUnderTest>): void {
  const opened = () => openedObjects(open);

  describe('a workload', () => {
    test('[OBJ5] is created with its place, and is in the inventory once it runs', async () => {
      const { deployment, objects, find, planned, begin, look, settle } = await opened();
      const { content, images } = objects.workload('a', 'first');
      const found = await find(content);
      expect(found).toMatchObject({ kind: 'create', problems: [], place: { component: 'contract', wave: 30 } });
      const act = await planned(content, { images });
      expect(await begin(act)).toMatchObject({ kind: 'begun' });
      expect(await look(act)).toMatchObject({ state: 'running' });
      await settle();
      expect(await look(act)).toMatchObject({ state: 'done' });
      const { workloads } = await deployment.inventory();
      expect(workloads.find(({ name }) => name === act.object)).toMatchObject({ ...found.place, images });
    });

    test('[OBJ7] is removed, leaves the inventory, and is created again by the undo', async () => {
      const { deployment, objects, findRemoval, apply, complete } = await opened();
      const { content, images } = objects.workload('a', 'first');
      const names = async () => (await deployment.inventory()).workloads.map(({ name }) => name);
      await apply(content, { images });
      const object = objectName(content);
      const { former } = await findRemoval(object);
      await complete(removal(object, former));
      expect(await names()).not.toContain(object);
      await complete(actOn(former ?? {}, 'any', { images }));
      expect(await names()).toContain(object);
    });

    test('[OBJ5] that is changed is rolled out again, and undone', async () => {
      const { objects, find, begin, look, settle, apply, complete } = await opened();
      const [before, after] = [objects.workload('a', 'first'), objects.workload('b', 'next')];
      await apply(before.content, before);
      const found = await find(after.content);
      const fields = found.fields.map(({ field }) => field.replace(/^.*\.containers/, 'containers'));
      expect(fields).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^containers\[\w+\]\.image$/),
          expect.stringMatching(/^containers\[\w+\]\.env\[MODE\]\.value$/),
        ]),
      );
      const change = actOn(after.content, found.former, after);
      await begin(change);
      expect(await look(change)).toMatchObject({ state: 'running' });
      await settle();
      expect(await look(change)).toMatchObject({ state: 'done' });
      await complete(actOn(found.former ?? {}, 'any', before));
      expect(await find(before.content)).toMatchObject({ kind: 'unchanged' });
    });

    test('[OBJ6] keeps its other fields when its images alone are changed', async () => {
      const { deployment, objects, find, settle, look, apply } = await opened();
      const [before, after] = [objects.workload('a', 'first'), objects.workload('a', 'next')];
      await apply(before.content, before);
      const images = { kind: 'images', workload: objectName(before.content), images: after.images } as const;
      expect(await deployment.begin(images, 1)).toMatchObject({ kind: 'begun' });
      await settle();
      expect(await look(images)).toMatchObject({ state: 'done' });
      expect(await objects.read(images.workload)).toMatchObject(after.content);
      expect(await find(after.content)).toMatchObject({ kind: 'unchanged' });
    });

    test('[OBJ5] is restarted when the configuration changes that its pods have read', async () => {
      const { objects, find, planned, begin, look, settle, apply } = await opened();
      const { content, images } = objects.workload('a', 'first');
      await apply(content, { images, configuration: 'one' });
      expect(await find(content, { configuration: 'one' })).toMatchObject({ kind: 'unchanged' });
      expect(await find(content)).toMatchObject({ kind: 'unchanged' });
      const act = await planned(content, { images, configuration: 'two' });
      await begin(act);
      expect(await look(act)).toMatchObject({ state: 'running' });
      await settle();
      expect(await look(act)).toMatchObject({ state: 'done' });
    });

    test('[K1] that does not become ready runs, and tells what keeps it', async () => {
      const { objects, planned, begin, look } = await opened();
      const { content, images } = objects.workload('a', 'first');
      const act = await planned(content, { images });
      await objects.neverReady(act.object);
      await begin(act);
      await expect
        .poll(() => look(act), { timeout: 20_000, interval: 300 })
        .toMatchObject({ state: 'running', trouble: { reason: expect.stringMatching(/\.$/) } });
    });
  });
}
