import { MantineProvider } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { OBJECT_ACTIONS } from '../../../model/objects/objectAction.ts';
import type { PlannedObject } from '../answers.ts';
import { Objects } from './Objects.tsx';

const OBJECT: PlannedObject = {
  object: 'ConfigMap/web',
  action: 'change',
  step: null,
  fields: [],
  reasons: [],
  canBeUndone: true,
  final: null,
};

function markupOf(...objects: readonly Partial<PlannedObject>[]): string {
  const given = objects.map((one) => ({ ...OBJECT, ...one }));
  const page = createElement(MantineProvider, undefined, createElement(Objects, { objects: given }));
  const markup = renderToStaticMarkup(page);
  // Before it are the styles of the provider.
  return markup.slice(markup.indexOf('<section'));
}

test('no text of an object is shown with characters that hide or reorder others', () => {
  const tricky = 'a\u001b\u0007\u009b\u202e\r\nb';
  const shown = String.raw`a\u{1b}\u{7}\u{9b}\u{202e}\r\nb`;
  const markup = markupOf({
    object: tricky,
    reasons: ['because of `x\u202ey`'],
    final: 'a\u202eb',
    fields: [{ field: tricky, before: tricky, after: tricky, managers: [tricky] }],
  });
  expect(markup).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(markup.split(shown)).toHaveLength(6);
  expect(markup).toContain(String.raw`because of <code>x\u{202e}y</code>`);
  expect(markup).toContain(String.raw`a\u{202e}b`);
});

test('a value that is absent or empty looks different from one with such a text', () => {
  const fields = [
    { field: 'data.a', before: null, after: '(absent)', managers: [] },
    { field: 'data.b', before: '', after: '(empty)', managers: [] },
  ];
  const markup = markupOf({ fields });
  for (const text of ['(absent)', '(empty)']) {
    expect(markup).toContain(`<span class="muted">${text}</span>`);
    expect(markup).toContain(`<code>${text}</code>`);
  }
});

test.each(OBJECT_ACTIONS.filter((action) => action !== 'unchanged'))(
  'the action %s is named as in the plan',
  (action) => {
    expect(markupOf({ action })).toContain(`>${action}<`);
  },
);
