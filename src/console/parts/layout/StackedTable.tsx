import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** `number`: aligned to the right. `actions`: its name is for screen readers only. */
type ColumnKind = 'text' | 'number' | 'actions';

export interface StackedTableProps {
  /** The names of the columns, in their order. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** The rows. A cell with `data-label` says what it is where the names of the columns are not shown. */
  readonly children: ReactNode;
}

/** A table whose rows become blocks on a narrow screen. */
export function StackedTable({ columns, children }: StackedTableProps) {
  return (
    <Table className="stacked">
      <Table.Thead>
        <Table.Tr>
          {Object.entries(columns).map(([name, kind]) => (
            <Table.Th key={name} className={kind === 'number' ? 'number' : undefined}>
              {kind === 'actions' ? <span className="hidden">{name}</span> : name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}
