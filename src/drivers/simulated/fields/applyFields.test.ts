import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../foundation/schema/json.ts';
import type { AppliedObject } from './applyFields.ts';
import { changesOf, formerOf, withChanges } from './applyFields.ts';
import { fieldAt, fieldText, isSameObject, leavesOf, readField } from './leaves.ts';

function applied(present: AppliedObject, content: JsonObject): AppliedObject {
  return { live: withChanges(present.live, changesOf(present, content)), content };
}

const CONTAINERS = { spec: { containers: [{ name: 'web', env: [{ name: 'MODE', value: 'a' }] }, { name: 'proxy' }] } };

describe('an apply', () => {
  test('[OBJ6] sets its fields, removes those that it no longer has, and leaves all others', () => {
    const first = applied({ live: { data: { other: 'x', a: '1' } } }, { data: { a: '2', b: '3' } });
    expect(first.live).toEqual({ data: { other: 'x', a: '2', b: '3' } });
    expect(applied(first, { data: { b: '4' } }).live).toEqual({ data: { other: 'x', b: '4' } });
  });

  test('[OBJ6] merges lists by the names of their items, and replaces others', () => {
    const first = applied(
      { live: { ...CONTAINERS, args: [1, 2] } },
      { args: [3], spec: { containers: [{ name: 'web', image: 'i' }] } },
    );
    expect(first.live).toEqual({
      args: [3],
      spec: { containers: [{ ...CONTAINERS.spec.containers[0], image: 'i' }, { name: 'proxy' }] },
    });
    expect(applied(first, { args: [3] }).live).toEqual({ ...CONTAINERS, args: [3] });
  });

  test('[OBJ4] each changed field has its path as people write it', () => {
    const wanted = {
      metadata: { labels: { 'example.com/a': 'b' } },
      spec: { containers: [{ name: 'web', env: [{ name: 'MODE', value: 'b' }] }] },
    };
    const texts = changesOf({ live: CONTAINERS }, wanted).map(({ path, before, after }) => [
      fieldText(path),
      before,
      after,
    ]);
    expect(texts).toEqual([
      ['metadata.labels[example.com/a]', undefined, 'b'],
      ['spec.containers[web].env[MODE].value', 'a', 'b'],
    ]);
    for (const [text] of texts)
      expect(fieldText(readField(String(text), { ...CONTAINERS, ...wanted }) ?? [])).toBe(text);
    expect(readField('a..b', {})).toBeUndefined();
  });
});

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'x.y/z');
const scalar = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('', 'on'), fc.boolean(), fc.constant(null));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('web', 'db', 'ui'), fc.dictionary(key, tie('tree'), { maxKeys: 2 })), {
        selector: ([name]) => name,
        maxLength: 3,
      })
      .map((items) => items.map(([name, fields]) => ({ name, ...fields }))),
  ),
}));
const object = fc.dictionary(key, tree, { maxKeys: 4 }).map((one) => ({ ...one, kind: 'ConfigMap' }));

describe('with any contents', () => {
  test('[OBJ7] what undoes an apply restores the object as it was before', () => {
    fc.assert(
      fc.property(object, object, object, (found, first, second) => {
        const before = applied({ live: found }, first);
        const after = applied(before, second);
        const undone = applied(after, formerOf(before, second));
        expect(leavesOf(undone.live)).toEqual(leavesOf(before.live));
        expect(isSameObject(undone.live, before.live)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('[OBJ6] an apply has its fields, and is done once', () => {
    fc.assert(
      fc.property(object, object, object, (found, first, second) => {
        const after = applied(applied({ live: found }, first), second);
        expect(changesOf(after, second)).toEqual([]);
        expect(applied(after, second)).toEqual(after);
      }),
      { numRuns: 1000 },
    );
  });

  test('[OBJ6] an apply leaves the fields that it never had', () => {
    const part = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      scalar.filter((one) => one !== null),
      { maxKeys: 3 },
    );
    const { failed } = fc.check(
      fc.property(part, part, part, (foreign, first, second) => {
        const live = { data: { ...first, ...foreign } };
        const end = applied(applied({ live }, { data: first }), { data: second }).live;
        const untouched = Object.entries(foreign).filter(([name]) => !(name in first) && !(name in second));
        return untouched.every(([name, value]) => fieldAt(end, ['data', name]) === value);
      }),
    );
    expect(failed).toBe(false);
  });
});
