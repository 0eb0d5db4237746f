import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { Icon } from '../../parts/text/Icon.tsx';
import type { HeaderRow } from './formValues.ts';

export interface HeadersFieldProps {
  /** Undefined keeps the stored headers. */
  readonly rows: readonly HeaderRow[] | undefined;
  /** The names of the stored headers. */
  readonly stored: readonly string[];
  readonly onChange: (rows: readonly HeaderRow[] | undefined) => void;
}

let lastKey = 0;

function newRow(name = ''): HeaderRow {
  lastKey += 1;
  return { key: lastKey, name, value: '' };
}

interface RowProps {
  readonly row: HeaderRow;
  readonly onChange: (row: HeaderRow) => void;
  readonly onRemove: () => void;
}

function Row({ row, onChange, onRemove }: RowProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <TextInput
        aria-label="Header name"
        placeholder="Name"
        value={row.name}
        onChange={({ currentTarget }) => onChange({ ...row, name: currentTarget.value })}
        flex={2}
        miw={0}
      />
      <TextInput
        aria-label={`Value of ${row.name || 'the header'}`}
        placeholder="Value"
        value={row.value}
        onChange={({ currentTarget }) => onChange({ ...row, value: currentTarget.value })}
        autoComplete="off"
        flex={3}
        miw={0}
      />
      <ActionIcon aria-label={`Remove ${row.name || 'the header'}`} onClick={onRemove}>
        <Icon name="cross" size={14} />
      </ActionIcon>
    </Group>
  );
}

function StoredHeaders({ stored, onChange }: Omit<HeadersFieldProps, 'rows'>) {
  return (
    <Group gap="sm">
      <Text size="sm">
        {stored.map((name, n) => (
          <span key={name}>
            {n > 0 && ', '}
            <code>{name}</code>
          </span>
        ))}{' '}
        <span className="muted">(values hidden)</span>
      </Text>
      <Button variant="default" onClick={() => onChange(stored.map((name) => newRow(name)))}>
        Replace them
      </Button>
    </Group>
  );
}

/** Custom headers. The server does not show stored values, so they are kept or replaced all together. */
export function HeadersField({ rows, stored, onChange }: HeadersFieldProps) {
  return (
    <Input.Wrapper
      label="Custom headers"
      description="Up to 20 headers of each delivery, such as Authorization. They are stored encrypted and not shown again."
    >
      <Stack gap="xs" mt={8} align="stretch">
        {rows === undefined ? (
          <StoredHeaders stored={stored} onChange={onChange} />
        ) : (
          <>
            {rows.map((row) => (
              <Row
                key={row.key}
                row={row}
                onChange={(next) => onChange(rows.map((one) => (one.key === row.key ? next : one)))}
                onRemove={() => onChange(rows.filter((one) => one.key !== row.key))}
              />
            ))}
            <Group gap="xs">
              <Button
                variant="default"
                leftSection={<Icon name="plus" size={14} />}
                onClick={() => onChange([...rows, newRow()])}
              >
                Add a header
              </Button>
              {stored.length > 0 && (
                <Button variant="subtle" onClick={() => onChange(undefined)}>
                  Keep the stored headers
                </Button>
              )}
            </Group>
          </>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
