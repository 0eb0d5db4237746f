import { expect, test } from 'vitest';
import { brokenText, hangingText, wrapText } from './wrappedText.ts';

test('[O3] a line ends between words, and a long word stays whole', () => {
  expect(wrapText('a state of everything', 10)).toBe('a state of\neverything');
  expect(wrapText('id 0j9lbxel0oektyqfqb087gbq', 10)).toBe('id\n0j9lbxel0oektyqfqb087gbq');
  expect(wrapText('never wrapped in a file', undefined)).toBe('never wrapped in a file');
});

test('[U30] a text keeps its line breaks after its label, and cannot move the cursor', () => {
  expect(hangingText('todo  ', 'one\r\ntwo\u001b[2J', undefined)).toBe('todo  one\n      two\\u{1b}[2J\n');
});

test('[O1] what does not fit beside its label stands below it', () => {
  expect(hangingText('WEBHOOK MESSAGE ID  ', '0j9lbxel0oektyqfqb087gbq', 40)).toBe(
    'WEBHOOK MESSAGE ID\n  0j9lbxel0oektyqfqb087gbq\n',
  );
  expect(brokenText('abcdefgh ij', 6)).toBe('abcd efgh ij');
});
