import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { acceptsGzip, etagOf, hasCurrent } from './send.ts';

test.each([
  ['gzip', true],
  ['deflate, gzip;q=0.5', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0, br', false],
  ['br', false],
  [undefined, false],
])('Accept-Encoding %s allows gzip: %s', (header, isAllowed) => {
  expect(acceptsGzip(header)).toBe(isAllowed);
});

describe('a caller', () => {
  const asking = (method: string, known: string) =>
    ({ method, headers: { 'if-none-match': known } }) as unknown as FastifyRequest;

  test.each(['"a"', 'W/"a"', '"b", "a"', '*'])('has the current version with If-None-Match %s', (known) => {
    expect(hasCurrent(asking('GET', known), '"a"')).toBe(true);
  });

  test('is answered in full with another tag, or by POST', () => {
    expect(hasCurrent(asking('GET', '"b"'), '"a"')).toBe(false);
    expect(hasCurrent(asking('POST', '"a"'), '"a"')).toBe(false);
  });
});

test('the tag of bytes depends on their content only', () => {
  expect(etagOf(Buffer.from('same'))).toBe(etagOf(Buffer.from('same')));
  expect(etagOf(Buffer.from('same'))).not.toBe(etagOf(Buffer.from('other')));
});
