import { ActionIcon, TextInput } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { Icon } from '../text/Icon.tsx';

export interface SearchInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  readonly onBlur?: () => void;
}

/** A search as one types. Escape clears it. */
export function SearchInput({ label, placeholder, value, onChange, onKeyDown, onBlur }: SearchInputProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onChange('');
        onKeyDown?.(event);
      }}
      onBlur={onBlur}
      leftSection={<Icon name="search" size={14} />}
      rightSection={
        value === '' ? undefined : (
          <ActionIcon size="sm" aria-label="Clear the search" onClick={() => onChange('')}>
            <Icon name="cross" size={12} />
          </ActionIcon>
        )
      }
    />
  );
}
