import { describe, expect, test } from 'vitest';
import { NEW_VALUES, createFields, editFields, hasOtherOrigin } from './formValues.ts';

describe('the fields of a request', () => {
  test('a new webhook without choices gets all event types and a generated key', () => {
    expect(createFields({ ...NEW_VALUES, name: 'mine', hookUrl: 'https://example.com/' })).toMatchObject({
      changeTypes: '["*"]',
      signatureHeader: 'none',
      headers: '{}',
      signatureKey: undefined,
    });
  });

  test('an edit sends only what was changed', () => {
    const before = { ...NEW_VALUES, name: 'mine', headers: undefined };
    expect(editFields(before, before)).toEqual({});
    expect(editFields(before, { ...before, name: 'other', changeTypes: ['a', '*'] })).toEqual({
      name: 'other',
      changeTypes: '["a","*"]',
    });
  });

  test('headers that were replaced are sent, and hidden ones are kept', () => {
    const before = { ...NEW_VALUES, headers: undefined };
    const headers = [
      { key: 1, name: ' X-Team ', value: 'depot' },
      { key: 2, name: '', value: '' },
    ];
    expect(editFields(before, { ...before, headers })).toEqual({ headers: '{"X-Team":"depot"}' });
    expect(editFields(before, { ...before, headers: [] })).toEqual({ headers: '{}' });
  });

  test('an address has another origin if its scheme, host or port differs', () => {
    expect(hasOtherOrigin('https://a.example/x', 'https://a.example/y')).toBe(false);
    expect(hasOtherOrigin('https://a.example/x', 'http://a.example/x')).toBe(true);
    expect(hasOtherOrigin('https://a.example/x', 'not yet an address')).toBe(false);
  });
});
