// The part of the contract of a deployment that is about objects. `objectSamples.ts` has the objects.
import { describe, expect, test } from 'vitest';
import { DeploymentRefusal } from '../../../../src/model/failure.ts';
import { objectName } from '../../../../src/model/objects/bundleObject.ts';
import type { Manager } from '../../../../src/model/workload.ts';
import type { ObjectsUnderTest } from './objectActs.ts';
import { actOn, openedObjects, removal } from './objectActs.ts';
import { workloadObjectContract } from './workloadObjectContract.ts';
import { PASSWORDS, configMap, definition, instance, secret } from './objectSamples.ts';

const RECONCILES: Manager = { name: 'some-controller', reconciles: true };
const WROTE_ONCE: Manager = { name: 'some-person', reconciles: false };

interface ContractOptions {
  /** Whether workloads are part of it. Their rollouts take most of the time on a cluster. */
  readonly hasWorkloads?: boolean;
}

/** Defines the tests that every deployment with objects passes. */
export function objectContract(
  open: () => Promise<ObjectsUnderTest>,
  { hasWorkloads = true }: ContractOptions = {},
): void {
  const opened = () => openedObjects(open);

  describe('an object', () => {
    test('[OBJ4] is created, is done, and is then unchanged', async () => {
      const { objects, find, planned, look, complete } = await opened();
      const content = configMap({ MODE: 'a' });
      expect(await find(content)).toMatchObject({ kind: 'create', former: undefined, problems: [] });
      const act = await planned(content);
      expect(await look(act)).toEqual({ state: 'absent' });
      await complete(act);
      expect(await objects.read(act.object)).toMatchObject(content);
      expect(await find(content)).toMatchObject({ kind: 'unchanged', fields: [], managers: [], problems: [] });
    });

    test('[OBJ4] a change names its fields with their values, is applied, and is undone exactly', async () => {
      const { objects, find, apply, complete } = await opened();
      const [before, after] = [configMap({ MODE: 'a', SIZE: '1' }), configMap({ MODE: 'b', LEVEL: 'x' })];
      await apply(before);
      const found = await find(after);
      expect(found).toMatchObject({ kind: 'change', problems: [] });
      expect(found.fields.toSorted((one, other) => one.field.localeCompare(other.field))).toEqual([
        { field: 'data.LEVEL', before: undefined, after: 'x', managers: [] },
        { field: 'data.MODE', before: 'a', after: 'b', managers: [] },
        { field: 'data.SIZE', before: '1', after: undefined, managers: [] },
      ]);
      await complete(actOn(after, found.former));
      expect((await objects.read(found.object))?.['data']).toEqual(after['data']);
      await complete(actOn(found.former ?? {}, 'any'));
      expect((await objects.read(found.object))?.['data']).toEqual(before['data']);
      expect(await find(after)).toEqual(found);
    });

    test('[OBJ6] a field that others have set stays, also after an undo', async () => {
      const { objects, find, apply, complete } = await opened();
      const [before, after] = [configMap({ MODE: 'a' }), configMap({ MODE: 'b' })];
      await apply(before);
      const { object } = await find(before);
      await objects.manage(object, 'data.THEIRS', 'x', WROTE_ONCE);
      const { former } = await find(after);
      await complete(actOn(after, former));
      expect((await objects.read(object))?.['data']).toEqual({ MODE: 'b', THEIRS: 'x' });
      await complete(actOn(former ?? {}, 'any'));
      expect((await objects.read(object))?.['data']).toEqual({ MODE: 'a', THEIRS: 'x' });
    });

    test('[OBJ7] a removal is done, and undone', async () => {
      const { objects, find, findRemoval, apply, complete } = await opened();
      const content = configMap({ MODE: 'a' });
      await apply(content);
      const { object } = await find(content);
      const found = await findRemoval(object);
      expect(found).toMatchObject({ kind: 'remove', problems: [], former: content });
      await complete(removal(object, found.former));
      expect(await objects.read(object)).toBeUndefined();
      expect(await findRemoval(object)).toMatchObject({ kind: 'absent', former: undefined });
      await complete(actOn(found.former ?? {}, 'any'));
      expect(await objects.read(object)).toMatchObject(content);
    });

    test('[OBJ7] what was created is removed by its undo', async () => {
      const { objects, find, apply, complete } = await opened();
      const content = configMap({ MODE: 'a' });
      await apply(content);
      const { object } = await find(content);
      await complete(removal(object, 'any'));
      expect(await objects.read(object)).toBeUndefined();
      // What is not there is removed already.
      await complete(removal(object, 'any'));
    });

    test('[OBJ7] what does not belong to Steward is kept', async () => {
      const { objects, find, findRemoval, begin } = await opened();
      const content = configMap({ MODE: 'a' });
      await objects.place(content);
      const { object } = await find(content);
      const found = await findRemoval(object);
      expect(found).toMatchObject({ kind: 'keep', kept: expect.stringMatching(/\w/) });
      expect(await begin(removal(object, found.former))).toMatchObject({ kind: 'refused' });
      expect(await objects.read(object)).toMatchObject(content);
    });

    test('[OBJ4] a comparison and a rehearsal change nothing', async () => {
      const { deployment, objects, find, planned } = await opened();
      const content = configMap({ MODE: 'a' });
      const act = await planned(content);
      expect(await deployment.rehearse([act])).toEqual([undefined]);
      expect(await objects.read(act.object)).toBeUndefined();
      expect(await find(content)).toMatchObject({ kind: 'create' });
    });
  });

  describe('an act on an object', () => {
    test('[UPG11] that is begun twice is done once', async () => {
      const { planned, begin, settle, look, find } = await opened();
      const act = await planned(configMap({ MODE: 'a' }));
      const first = await begin(act);
      expect(await begin(act)).toEqual(first);
      await settle();
      expect(await look(act)).toMatchObject({ state: 'done' });
      expect(await begin(act)).toEqual(first);
      expect(await find(configMap({ MODE: 'a' }))).toMatchObject({ kind: 'unchanged' });
    });

    test('[UPG11] with an older fence is overtaken, and changes nothing', async () => {
      const { deployment, objects, planned, begin, apply } = await opened();
      await apply(configMap({ MODE: 'a' }));
      const act = await planned(configMap({ MODE: 'b' }));
      await deployment.takeOver(7, undefined, [act.object]);
      expect(await begin(act, 6)).toEqual({ kind: 'overtaken' });
      expect(await objects.read(act.object)).toMatchObject({ data: { MODE: 'a' } });
      expect(await begin(act, 7)).toMatchObject({ kind: 'begun' });
      expect(await objects.read(act.object)).toMatchObject({ data: { MODE: 'b' } });
    });

    test('[OBJ6] is refused if the object has changed since the plan', async () => {
      const { objects, planned, begin, look, apply, findRemoval } = await opened();
      await apply(configMap({ MODE: 'a' }));
      const act = await planned(configMap({ MODE: 'b' }));
      const { former } = await findRemoval(act.object);
      await objects.manage(act.object, 'data.MODE', 'c', WROTE_ONCE);
      const failure = { reason: expect.stringContaining(act.object), advice: expect.stringMatching(/[Pp]lan/) };
      expect(await begin(act)).toMatchObject({ kind: 'refused', failure });
      expect(await begin(removal(act.object, former))).toMatchObject({ kind: 'refused', failure });
      expect(await look(act)).toMatchObject({ state: 'absent' });
      expect(await objects.read(act.object)).toMatchObject({ data: { MODE: 'c' } });
    });

    test('[UPG18] is absent once another manager has changed the object', async () => {
      const { objects, planned, complete, look } = await opened();
      const act = await planned(configMap({ MODE: 'a' }));
      await complete(act);
      await objects.manage(act.object, 'data.MODE', 'c', WROTE_ONCE);
      expect(await look(act)).toMatchObject({ state: 'absent' });
    });

    test('[OBJ4] against a manager that reconciles is a conflict with its name, unless it is acknowledged', async () => {
      const { objects, find, planned, begin, look, apply, complete } = await opened();
      await apply(configMap({ MODE: 'a' }));
      const content = configMap({ MODE: 'b' });
      const { object } = await find(content);
      await objects.manage(object, 'data.MODE', 'c', RECONCILES);
      expect(await find(content)).toMatchObject({
        fields: [{ field: 'data.MODE', before: 'c', after: 'b', managers: [RECONCILES.name] }],
        managers: [{ name: RECONCILES.name, reconciles: true }],
        problems: [{ kind: 'conflict', reason: expect.stringContaining(RECONCILES.name) }],
      });
      const act = await planned(content);
      const reason = expect.stringContaining(RECONCILES.name);
      expect(await begin(act)).toMatchObject({ kind: 'refused', failure: { reason } });
      expect(await look(act)).toMatchObject({ state: 'absent' });
      expect(await find(content, { isAcknowledged: true })).toMatchObject({ kind: 'change', problems: [] });
      await complete({ ...act, isAcknowledged: true });
    });

    test('[OBJ6] takes over and removes the fields of a manager that wrote once', async () => {
      const { objects, find, apply } = await opened();
      await apply(configMap({ MODE: 'a', SIZE: '1' }));
      const { object } = await find(configMap({}));
      await objects.manage(object, 'data.MODE', 'c', WROTE_ONCE);
      // Both own it now.
      await objects.manage(object, 'data.SIZE', '1', WROTE_ONCE);
      const content = configMap({ MODE: 'b' });
      expect(await find(content)).toMatchObject({ managers: [WROTE_ONCE], problems: [] });
      await apply(content);
      expect((await objects.read(object))?.['data']).toEqual({ MODE: 'b' });
    });

    test('[OBJ4] that admission refuses is a problem of the plan, and is refused', async () => {
      const { objects, find, planned, begin, complete } = await opened();
      const content = configMap({ MODE: 'a' });
      const act = await planned(content);
      const allow = await objects.refuse(act.object);
      expect(await find(content)).toMatchObject({
        problems: [{ kind: 'refused', advice: expect.stringMatching(/\.$/) }],
      });
      expect(await begin(act)).toMatchObject({
        kind: 'refused',
        failure: { reason: expect.stringContaining(act.object) },
      });
      await allow();
      await complete(act);
    });

    test('[UPG21] without the permission is a problem of the plan, and is refused for good', async () => {
      const { find, planned, begin, forbid, apply } = await opened();
      await apply(configMap({ MODE: 'a' }));
      const act = await planned(configMap({ MODE: 'b' }));
      const allow = await forbid();
      expect(await find(configMap({ MODE: 'b' }))).toMatchObject({ problems: [{ kind: 'forbidden' }] });
      // A driver may also throw the refusal, as it does for images.
      const refused = await begin(act).catch((error: unknown) =>
        error instanceof DeploymentRefusal ? { kind: 'refused' } : error,
      );
      expect(refused).toMatchObject({ kind: 'refused' });
      await allow();
      expect(await begin(act)).toMatchObject({ kind: 'begun' });
    });

    test('[UPG21] that hangs ends when its signal aborts', async () => {
      const { deployment, hang, planned } = await opened();
      const act = await planned(configMap({ MODE: 'a' }));
      const proceed = await hang();
      const calls: ((signal: AbortSignal) => Promise<unknown>)[] = [
        (signal) => deployment.compareObjects([act], signal),
        (signal) => deployment.fetchObjects('registry.invalid/objects', signal),
        (signal) => deployment.rehearse([act], signal),
        (signal) => deployment.begin(act, 1, signal),
        (signal) => deployment.observe([act], signal),
        (signal) => deployment.takeOver(1, signal, [act.object]),
      ];
      for (const call of calls) {
        const stop = new AbortController();
        const answer = call(stop.signal);
        stop.abort();
        await expect(answer).rejects.toBeInstanceOf(Error);
      }
      await proceed();
    });

    test('[OBJ4] has no value of a Secret in any reason', async () => {
      const { objects, find, planned, begin, apply } = await opened();
      const [before, after] = [secret(PASSWORDS[0]), secret(PASSWORDS[1])];
      await apply(before);
      const act = await planned(after);
      const allow = await objects.refuse(act.object);
      const texts: unknown[] = [(await find(after)).problems, await begin(act)];
      await allow();
      await objects.manage(act.object, 'data.password', secret(PASSWORDS[2]).data.password, WROTE_ONCE);
      texts.push((await find(after)).problems, await begin(act));
      await objects.manage(act.object, 'data.password', secret(PASSWORDS[1]).data.password, RECONCILES);
      texts.push((await find(before)).problems, await begin(await planned(before)));
      const said = JSON.stringify(texts);
      expect(said).toContain('refused');
      for (const password of PASSWORDS)
        for (const text of [password, secret(password).data.password]) expect(said).not.toContain(text);
    });
  });

  describe('a definition', () => {
    test('[OBJ4] is established before its instances can be compared and created', async () => {
      const { find, compare, planned, apply, begin } = await opened();
      const [defined, one] = [definition(['v1']), instance('v1')];
      expect(await find(one)).toMatchObject({ problems: [{ kind: 'notServed' }] });
      const wanted = [one, defined].map((content) => ({ object: objectName(content), content }));
      expect(await compare(...wanted)).toMatchObject({ kind: 'unknown', former: undefined, problems: [] });
      expect(await begin(await planned(one))).toMatchObject({ kind: 'refused' });
      await apply(defined);
      expect(await find(one)).toMatchObject({ kind: 'create', problems: [] });
      await apply(one);
    });

    test('[OBJ7] that drops a stored version cannot be undone or is refused, and is kept while it has instances', async () => {
      const { find, findRemoval, apply } = await opened();
      await apply(definition(['v1']));
      await apply(instance('v1'));
      expect((await find(definition(['v2', 'v1']))).final).toBeUndefined();
      // A server that knows of stored objects refuses it.
      const { kind, final, problems } = await find(definition(['v2']));
      expect([kind, final ?? problems[0]?.reason]).toEqual(['change', expect.stringContaining('v1')]);
      expect(await findRemoval(objectName(definition(['v1'])))).toMatchObject({ kind: 'keep' });
    });
  });

  if (hasWorkloads) workloadObjectContract(open);
}
