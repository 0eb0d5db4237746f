import { expect, test } from 'vitest';
import { maskHeaders } from './maskedOutcome.ts';

const SECRET = 'tok/EN+1234 "x"';
const HEADERS = {
  authorization: `Bearer ${SECRET}`,
  'x-basic': `Basic ${Buffer.from('robot-user:pässwörd-9').toString('base64')}`,
};

const masked = (answer: string): string =>
  maskHeaders({ kind: 'accepted', status: 200, durationMs: 1, answer }, HEADERS).answer;

test.each([
  ['as it is', `Bearer ${SECRET}`],
  ['without its scheme', 'tok/EN+1234'],
  ['in lower case', 'tok/en+1234'],
  ['in upper case', 'BEARER TOK/EN+1234 "X"'],
  ['URL-encoded', encodeURIComponent('tok/EN+1234')],
  ['in base64', Buffer.from('tok/EN+1234').toString('base64')],
  ['in base64 for URLs', Buffer.from('tok/EN+1234').toString('base64url')],
  ['in hexadecimal', Buffer.from('tok/EN+1234').toString('hex')],
  ['escaped in JSON', JSON.stringify(`Bearer ${SECRET}`).slice(1, -1)],
  ['as the pair of Basic', 'robot-user:pässwörd-9'],
  ['as the password of Basic', 'pässwörd-9'],
])('[WHK30] a secret that a receiver repeats %s is hidden', (_, echoed) => {
  expect(masked(`{"got":"${echoed}"}`)).toMatch(/^\{"got":"\(hidden\)[^"]{0,2}"\}$/);
});

test('[WHK30] everything else of an answer is kept, and a webhook without headers hides nothing', () => {
  expect(masked('accepted, order 4711, bearer')).toBe('accepted, order 4711, bearer');
  const outcome = { kind: 'accepted', status: 200, durationMs: 1, answer: 'x' } as const;
  expect(maskHeaders(outcome, {})).toBe(outcome);
});
