import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { isTimestamp } from '../../../model/timestamp.ts';
import { Time } from '../text/Time.tsx';
import type { FieldChange } from './fieldChanges.ts';
import { changesOf, inWords } from './fieldChanges.ts';
import './difference.css';

const FEW = 4;

function Value({ value }: { readonly value: unknown }) {
  return isTimestamp(value) ? <Time at={value} as="exact" /> : <>{inWords(value)}</>;
}

function Line({ change, isEdit }: { readonly change: FieldChange; readonly isEdit: boolean }) {
  const { field, before, after } = change;
  return (
    <div className="change">
      <span className="muted">{field}</span>{' '}
      {isEdit ? (
        <>
          <del>
            <Value value={before} />
          </del>
          <span className="muted" aria-label="became">
            {' → '}
          </span>
          <ins>
            <Value value={after} />
          </ins>
        </>
      ) : (
        <Value value={after ?? before} />
      )}
    </div>
  );
}

export interface DifferenceProps {
  /** Undefined if something was created. */
  readonly before: unknown;
  /** Undefined if it was deleted. */
  readonly after: unknown;
}

/** The fields that a change has set, cleared or altered. */
export function Difference({ before, after }: DifferenceProps) {
  const [isOpen, setOpen] = useState(false);
  const changes = changesOf(before, after);
  const isEdit = before !== undefined && after !== undefined;
  // One more line takes no more room than the button.
  const isLong = changes.length > FEW + 1;
  const shown = isLong && !isOpen ? changes.slice(0, FEW) : changes;
  if (changes.length === 0) return <span className="muted">No fields</span>;
  return (
    <>
      {shown.map((change) => (
        <Line key={change.field} change={change} isEdit={isEdit} />
      ))}
      {isLong && (
        <UnstyledButton className="more" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? 'Show fewer fields' : `Show all ${changes.length} fields`}
        </UnstyledButton>
      )}
    </>
  );
}
