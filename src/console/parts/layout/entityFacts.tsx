import type { ReactNode } from 'react';
import type { Entity, EntityField, EntityValues } from '../../../model/entity/field.ts';
import { byKind, fieldsOf } from '../../../model/entity/field.ts';
import { numberText } from '../text/locale.ts';

const NONE = <span className="muted">None</span>;

/** A value as people read it. */
function shownValue(any: EntityField, value: unknown): ReactNode {
  return byKind<ReactNode>(any, {
    text: () => (value === '' ? NONE : String(value)),
    choice: ({ labels = {} }) => Object.entries(labels).find(([one]) => one === value)?.[1] ?? String(value),
    integer: ({ unit }) => `${numberText(Number(value))}${unit === undefined ? '' : ` ${unit}`}`,
    flag: ({ labels = { true: 'Yes', false: 'No' } }) => labels[value === true ? 'true' : 'false'],
    eventTypes: () => (Array.isArray(value) ? value.join(', ') : ''),
  });
}

/** The rows of `Facts` for the fields of an entity. `cells` has those that are shown in their own way. */
export function entityFacts<E extends Entity>(
  of: E,
  values: EntityValues<E>,
  cells: { readonly [K in keyof E]?: ReactNode } = {},
): Readonly<Record<string, ReactNode>> {
  return Object.fromEntries(
    fieldsOf(of).map(([name, field]) => [field.label, cells[name] ?? shownValue(field, values[name])]),
  );
}
