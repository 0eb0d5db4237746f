import { Autocomplete, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { fromLocalField, toLocalField } from '../../parts/form/localTime.ts';
import { SearchInput } from '../../parts/form/SearchInput.tsx';
import type { AddressText } from '../../parts/form/addressFields.ts';
import { useAddressField } from '../../parts/form/addressFields.ts';
import type { AuditEntry } from '../answers.ts';
import { PERIODS, isPeriod, rangeOf } from './auditSearch.ts';

const MOST_SUGGESTIONS = 20;
const ANY = '*';
const BETWEEN = 'between';

function orNone(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** The filters in the address. The server applies all but the words. */
export function useAuditFilters(now: number) {
  const [target, setTarget] = useAddressField('target');
  const [who, setWho] = useAddressField('who');
  const [period, setPeriod] = useAddressField('period');
  const [since, setSince] = useAddressField('since');
  const [until, setUntil] = useAddressField('until');
  const range = isPeriod(period) ? rangeOf(period, now) : { since: orNone(since), until: orNone(until) };
  const fields = { target: orNone(target), who: orNone(who), ...range };
  return { target, setTarget, who, setWho, period, setPeriod, since, setSince, until, setUntil, fields };
}

type Filters = ReturnType<typeof useAuditFilters>;

interface ExactFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly suggestions: readonly string[];
}

/** The server compares the whole text, so it is sent when it is chosen or confirmed, not on every key. */
function ExactFilter({ label, placeholder, value, onChange, suggestions }: ExactFilterProps) {
  const [text, setText] = useState(value);
  const apply = (next: string): void => {
    setText(next);
    if (next.trim() !== value) onChange(next.trim());
  };
  return (
    <Autocomplete
      aria-label={label}
      size="sm"
      placeholder={placeholder}
      data={[...new Set(suggestions)].toSorted()}
      limit={MOST_SUGGESTIONS}
      clearable
      value={text}
      onChange={(next) => (next === '' ? apply(next) : setText(next))}
      onOptionSubmit={apply}
      onBlur={() => apply(text)}
      onKeyDown={({ key }) => key === 'Enter' && apply(text)}
    />
  );
}

interface TimeFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (iso: string) => void;
}

function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      defaultValue={toLocalField(value)}
      onChange={({ currentTarget }) => onChange(fromLocalField(currentTarget.value))}
    />
  );
}

interface PeriodSelectProps {
  readonly filters: Filters;
  readonly isBetween: boolean;
  readonly onBetween: (isBetween: boolean) => void;
}

function PeriodSelect({ filters: { period, setPeriod, setSince, setUntil }, isBetween, onBetween }: PeriodSelectProps) {
  const choose = (chosen: string | null): void => {
    onBetween(chosen === BETWEEN);
    setSince('');
    setUntil('');
    setPeriod(chosen !== null && isPeriod(chosen) ? chosen : '');
  };
  return (
    <Select
      aria-label="Period"
      className="auditPeriod"
      data={[
        { value: ANY, label: 'Any time' },
        ...Object.entries(PERIODS).map(([value, label]) => ({ value, label })),
        { value: BETWEEN, label: 'Custom period' },
      ]}
      value={isBetween ? BETWEEN : period || ANY}
      onChange={choose}
    />
  );
}

export interface AuditFiltersProps {
  readonly filters: Filters;
  readonly words: AddressText;
  readonly entries: readonly AuditEntry[];
}

export function AuditFilters({ filters, words, entries }: AuditFiltersProps) {
  const { target, setTarget, who, setWho, since, setSince, until, setUntil } = filters;
  const [isBetween, setBetween] = useState(since !== '' || until !== '');
  return (
    <>
      <div className="auditFilters">
        <SearchInput
          label="Search the loaded entries"
          placeholder="Search by address, action or value"
          value={words.text}
          onChange={words.setText}
          onBlur={words.writeNow}
        />
        <ExactFilter
          key={`target ${target}`}
          label="Target"
          placeholder="Any target, such as service Finance/Invoices.Query"
          value={target}
          onChange={setTarget}
          suggestions={entries.map((entry) => entry.target)}
        />
        <ExactFilter
          key={`who ${who}`}
          label="User"
          placeholder="Any user"
          value={who}
          onChange={setWho}
          suggestions={entries.map((entry) => entry.who)}
        />
        <PeriodSelect filters={filters} isBetween={isBetween} onBetween={setBetween} />
      </div>
      {isBetween && (
        <div className="auditTimes">
          <TimeFilter label="Since" value={since} onChange={setSince} />
          <TimeFilter label="Until" value={until} onChange={setUntil} />
        </div>
      )}
    </>
  );
}
