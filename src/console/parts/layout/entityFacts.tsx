import type { ReactNode } from 'react';
import type { Entity, EntityField, EntityValues } from '../../../model/entity/field.ts';
import { fieldsOf } from '../../../model/entity/field.ts';
import { numberText } from '../text/locale.ts';

const NONE = <span className="muted">None</span>;

/** A value as people read it. */
export function shownValue(field: EntityField, value: unknown): ReactNode {
  switch (field.kind) {
    case 'text':
      return value === '' ? NONE : String(value);
    case 'choice': {
      const labels: Readonly<Record<string, string>> = field.labels ?? {};
      return labels[String(value)] ?? String(value);
    }
    case 'integer':
      return `${numberText(Number(value))}${field.unit === undefined ? '' : ` ${field.unit}`}`;
    case 'flag':
      return (field.labels ?? { true: 'Yes', false: 'No' })[value === true ? 'true' : 'false'];
    case 'eventTypes':
      return Array.isArray(value) ? value.join(', ') : '';
  }
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
