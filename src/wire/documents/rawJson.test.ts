import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rawElements, rawMembers } from './rawJson.ts';

test('[WHK13] parts of a JSON text are returned as they were written', () => {
  expect(rawElements(' [ 1e400 , {"a": [1,2 ], "b":"]"} ,"x,\\"y" , [] ,null] ')).toStrictEqual([
    '1e400',
    '{"a": [1,2 ], "b":"]"}',
    '"x,\\"y"',
    '[]',
    'null',
  ]);
  expect([...rawMembers('{"a" : 12345678901234567890, "\\u0062":{"c":"}"},"d":true, "d" : false }')]).toStrictEqual([
    ['a', '12345678901234567890'],
    ['b', '{"c":"}"}'],
    ['d', 'false'],
  ]);
});

test('[WHK13] the parts parse to the same values as the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (values, indent) => {
      const text = JSON.stringify(values, null, indent);
      expect(rawElements(text).map((one) => JSON.parse(one))).toStrictEqual(JSON.parse(text));
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (value) => {
      const text = JSON.stringify(value, null, 2);
      const parsed = JSON.parse(text) as object;
      expect(new Map([...rawMembers(text)].map(([key, one]) => [key, JSON.parse(one)]))).toStrictEqual(
        new Map(Object.entries(parsed)),
      );
    }),
  );
});
