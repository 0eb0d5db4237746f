import { expect, test } from 'vitest';
import { firstMatches } from './firstMatches.ts';

const OPTIONS = Array.from({ length: 5011 }, (_, n) => ({ value: `s${n}`, label: `Folder/Service${n}` }));

function labelsFor(search: string): readonly unknown[] {
  return firstMatches({ options: OPTIONS, search, limit: Infinity }).map((one) => 'label' in one && one.label);
}

test('[V8] a select with thousands of options lists fifty of them, and says how many more there are', () => {
  const labels = labelsFor('');
  expect(labels.length).toBe(51);
  expect(labels.at(-1)).toBe('4,961 more. Type a part of the name.');
});

test('[V8] every option of a select is found by a part of its name', () => {
  expect(labelsFor('service5010')).toEqual(['Folder/Service5010']);
  expect(labelsFor('nothing')).toEqual([]);
});
