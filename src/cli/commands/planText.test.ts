import { expect, test } from 'vitest';
import { planText } from './planText.ts';

const PLAN = {
  from: '1.0.1',
  to: '1.0.2',
  simulated: false,
  pointOfNoReturn: null,
  estimate: { totalMs: 1000, readOnlyMs: 1000 },
  canStart: true,
  checks: [],
  steps: [],
};
const field = (name: string, before: string | null, after: string | null) => ({
  field: name,
  before,
  after,
  managers: [],
});

function textOf(...fields: readonly ReturnType<typeof field>[]): string {
  const object = { object: 'ConfigMap/web', action: 'change', fields, reasons: [], final: null };
  return planText({ ...PLAN, objects: [object] }, undefined);
}

test('a value that is absent or empty looks different from one with such a text', () => {
  const text = textOf(field('data.a', null, 'none'), field('data.b', 'none', null), field('data.c', '', 'x'));
  expect(text).toContain('data.a: (absent) → none\n');
  expect(text).toContain('data.b: none → (absent)\n');
  expect(text).toContain('data.c: (empty) → x\n');
});

test('characters that hide or reorder others, and line breaks, are shown by their numbers', () => {
  expect(textOf(field('data.a', 'one\ntwo', 'one two\r\n\u001b\u0007\u009b\u202e'))).toContain(
    String.raw`data.a: one\ntwo → one two\r\n\u{1b}\u{7}\u{9b}\u{202e}`,
  );
});
