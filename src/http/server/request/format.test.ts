import { describe, expect, test } from 'vitest';
import { formatOf, formatProblems } from './format.ts';

const NONE = {};
const accepting = (accept?: string) => ({ headers: accept === undefined ? {} : { accept } });

describe('the format of an answer', () => {
  test.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/html', 'html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
    ['application/json, text/html', 'json'],
    ['text/html, application/json', 'html'],
    ['text/html;q=0.4, application/json;q=0.5', 'json'],
    ['application/json;q=0.4, TEXT/HTML', 'json'],
    ['application/json;q=0.4, text/html', 'html'],
    ['text/html;q=0', 'json'],
  ])('for the Accept header %s is %s', (accept, format) => {
    expect(formatOf(accepting(accept), NONE, NONE)).toBe(format);
  });

  test.each(['json', 'pjson', 'html'] as const)('is %s if the field f says so, whatever Accept says', (f) => {
    expect(formatOf(accepting('text/html'), { f }, NONE)).toBe(f);
    expect(formatOf(accepting(), NONE, { f })).toBe(f);
    expect(formatProblems({ f }, NONE)).toEqual([]);
  });

  test('is taken from the body before the query', () => {
    expect(formatOf(accepting(), { f: 'pjson' }, { f: 'html' })).toBe('pjson');
    expect(formatOf(accepting(), { f: '' }, { f: 'html' })).toBe('html');
  });

  test('is JSON for an invalid f, which is a problem', () => {
    expect(formatOf(accepting('text/html'), { f: 'xml' }, NONE)).toBe('json');
    expect(formatProblems({ f: 'xml' }, NONE)).toEqual(['f: must be one of json, pjson, html, not "xml"']);
    expect(formatProblems(NONE, { f: ['json', 'html'] })).toEqual(['f: was sent more than once']);
  });
});
