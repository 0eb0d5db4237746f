import { describe, expect, test } from 'vitest';
import type { StewardError } from '../../../foundation/errors.ts';
import { choice, file, integer, required, optional } from '../../../wire/fields/fields.ts';
import { NO_FILES, field, formOf, parseEncodedBody } from './form.ts';
import { readFields } from './formFields.ts';
import { LIMITS } from '../limits.ts';

function errorOf(act: () => unknown): StewardError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as StewardError;
  }
}

describe('an encoded body', () => {
  test('is read as fields; a repeated field is a list', () => {
    expect({ ...parseEncodedBody(Buffer.from('a=1&b=x+y%C3%A9&a=2&c')) }).toEqual({ a: ['1', '2'], b: 'x yé', c: '' });
  });

  test.each(['a=b=c&&=d&e&f=', '%61%3D=%26%25%2B&a%C3%A9=%F0%9F%98%80', 'a=%7B%22b%22%3A1%7D&__proto__=x', '', '='])(
    'is decoded as everywhere: %s',
    (body) => {
      expect(Object.entries(parseEncodedBody(Buffer.from(body)))).toEqual([...new URLSearchParams(body)]);
    },
  );

  test.each([
    ['is not UTF-8', Buffer.from([0x61, 0x3d, 0xff])],
    ['has a broken percent escape', Buffer.from('a=100%')],
    ['has a broken percent escape in a name', Buffer.from('%zz=1&a=1')],
    ['encodes invalid UTF-8', Buffer.from('a=%FF')],
  ])('that %s is invalid', (_name, body) => {
    expect(errorOf(() => parseEncodedBody(body))?.code).toBe('invalid');
  });

  test('has a limited number of fields', () => {
    const fields = (count: number) => Buffer.from(Array.from({ length: count }, (_, n) => `f${n}=`).join('&'));
    expect(errorOf(() => parseEncodedBody(fields(LIMITS.fields)))).toBeUndefined();
    expect(errorOf(() => parseEncodedBody(fields(LIMITS.fields + 1)))?.code).toBe('tooLarge');
  });
});

test('a field of the body takes precedence over the query, unless it is empty', () => {
  expect(field({ a: '1' }, { a: '2' }, 'a')).toBe('1');
  expect(field({ a: '' }, { a: '2' }, 'a')).toBe('2');
});

test.each([undefined, null, Buffer.from('<xml/>')])('a body that is not a form has no fields: %s', (body) => {
  expect(Object.keys(formOf(body))).toEqual([]);
});

describe('the fields of an operation', () => {
  const FIELDS = {
    size: required(integer(1, 9), 'How many.'),
    color: optional(choice(['red', 'blue']), 'Which.'),
    attachment: optional(file, 'A file.'),
  };

  test('are read from body and query', () => {
    expect(readFields(FIELDS, { size: '3' }, { color: 'red' }, NO_FILES, [])).toEqual({ size: 3, color: 'red' });
  });

  test('are refused with every problem at once', () => {
    const known = ['f: must be one of json, pjson, html, not "xml"'];
    const sent = { color: ['red', 'blue'], attachment: 'text' };
    expect(errorOf(() => readFields(FIELDS, sent, {}, NO_FILES, known))?.details).toEqual([
      'size: is required. How many.',
      'color: was sent more than once',
      'attachment: must be sent as a file in a multipart form',
      ...known,
    ]);
  });

  test('take an empty file for absent where a file is optional', () => {
    const sent = { name: 'a.txt', contentType: 'text/plain', bytes: Buffer.alloc(0) };
    expect(readFields(FIELDS, { size: '1' }, {}, new Map([['attachment', sent]]), [])).toEqual({ size: 1 });
  });
});

test('[REQ1] a plus sign is a space, an encoded one is a plus sign', () => {
  expect({ ...parseEncodedBody(Buffer.from('a+b=c++d&e=%2B+%2b')) }).toEqual({ 'a b': 'c  d', e: '+ +' });
});
