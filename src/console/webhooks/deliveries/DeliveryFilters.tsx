import { Button, Select, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import type { FieldsOf, api } from '../../api/operations.ts';
import type { FilterChanges } from '../../parts/form/addressFields.ts';
import { fromLocalField, toLocalField } from '../../parts/form/localTime.ts';
import { DELIVERY_STATES } from './deliveryStates.ts';

const ANY = 'any';
/** The filters in the address, with the names that the API gives them. */
export const FILTER_NAMES = [
  'state',
  'event',
  'webhook-id',
  'eventId',
  'from',
  'to',
] as const satisfies readonly (keyof FieldsOf<typeof api.serviceWebhooks.deliveries>)[];

const STATES = [
  { value: ANY, label: 'Any state' },
  ...Object.entries(DELIVERY_STATES).map(([value, { text }]) => ({ value, label: text })),
];

type Values = Readonly<Record<(typeof FILTER_NAMES)[number], string>>;

function readValues(filter: URLSearchParams): Values {
  const text = (name: string): string => filter.get(name) ?? '';
  return {
    state: text('state'),
    event: text('event'),
    'webhook-id': text('webhook-id'),
    eventId: text('eventId'),
    from: toLocalField(filter.get('from')),
    to: toLocalField(filter.get('to')),
  };
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: string;
  readonly placeholder?: string;
}

function TextFilter({ onChange, ...field }: TextFilterProps) {
  return <TextInput {...field} size="xs" onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}

export interface DeliveryFiltersProps {
  readonly filter: URLSearchParams;
  readonly onChange: (changes: FilterChanges) => void;
}

/** The state applies at once; texts and times with Enter or the button. */
export function DeliveryFilters({ filter, onChange }: DeliveryFiltersProps) {
  const [values, setValues] = useState(() => readValues(filter));
  const set = (name: keyof Values) => (value: string) => setValues({ ...values, [name]: value });
  const apply = (next: Values): void =>
    onChange({ ...next, from: fromLocalField(next.from), to: fromLocalField(next.to) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    apply(values);
  };
  const choose = (state: string | null): void => {
    const next = { ...values, state: state === ANY ? '' : (state ?? '') };
    setValues(next);
    apply(next);
  };
  const isFiltered = FILTER_NAMES.some((name) => filter.has(name));
  const clear = (): void => {
    const none = readValues(new URLSearchParams());
    setValues(none);
    apply(none);
  };
  return (
    <form onSubmit={submit} className="filters deliveryFilters">
      <Select label="State" size="xs" data={STATES} value={values.state || ANY} onChange={choose} />
      <TextFilter label="Event type" value={values.event} onChange={set('event')} />
      <TextFilter label="webhook-id" value={values['webhook-id']} onChange={set('webhook-id')} placeholder="evt_…" />
      <TextFilter label="eventId" value={values.eventId} onChange={set('eventId')} />
      <TextFilter label="Accepted from" type="datetime-local" value={values.from} onChange={set('from')} />
      <TextFilter label="Accepted before" type="datetime-local" value={values.to} onChange={set('to')} />
      <div className="buttons">
        <Button type="submit" variant="default" size="xs">
          Filter
        </Button>
        {isFiltered && (
          <Button variant="subtle" size="xs" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
    </form>
  );
}
