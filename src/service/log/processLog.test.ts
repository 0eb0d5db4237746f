import { describe, expect, test } from 'vitest';
import { humanLine, humanRequest } from './processLog.ts';
import { printable } from '../../foundation/text/printable.ts';
import { textValue } from './textValue.ts';

const FORGED = [
  'ci\n12:00:00 POST /admin/mode 200 1 ms root',
  'ci\r\u001b[2K12:00:00 forged',
  'ci\u2028next line',
  'ci\u0085next line',
  'ci\u202egnp.exe',
  'ci\u0000\u0007\u007f\u009b31m',
  'ci\ud800',
];

describe('a line of the text log', () => {
  test.each(FORGED)('the value %j stays on the line of its request, in every field', (value) => {
    const line = { requestId: 'r', method: 'GET', path: '/', status: 200, ms: 1, from: '192.0.2.1', who: 'ann' };
    for (const field of ['requestId', 'method', 'path', 'from', 'who'] as const) {
      const text = humanRequest({ ...line, [field]: value });
      expect(text.slice(0, -1)).toBe(printable(text.slice(0, -1)));
    }
  });

  test.each(FORGED)('the value %j stays on its line, as a message, as a field and inside an object', (value) => {
    const given = {
      level: 40,
      time: 0,
      msg: value,
      [value]: value,
      nested: { [value]: [value] },
      stack: `Error: ${value}\n  at x`,
    };
    const text = humanLine(JSON.stringify(given));
    expect(text.slice(0, -1)).toBe(printable(text.slice(0, -1)));
  });

  test('a value with spaces, quotes or an equals sign is quoted, and a plain one is not', () => {
    expect(['gateway', 'a b', 'x=1', 'say "no"', '', String.raw`C:\x`, 7, null, { a: 1 }].map(textValue)).toEqual([
      'gateway',
      '"a b"',
      '"x=1"',
      String.raw`"say \"no\""`,
      '""',
      String.raw`"C:\\x"`,
      '7',
      'null',
      '{"a":1}',
    ]);
  });
});
