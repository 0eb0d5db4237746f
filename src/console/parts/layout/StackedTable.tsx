import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export interface StackedTableProps {
  /** The names of the columns, in their order. That of `Actions` is for screen readers only. */
  readonly columns: readonly string[];
  /** The columns that are aligned to the right. */
  readonly numbers?: readonly string[];
  /** The rows. A cell with `data-label` says what it is where the names of the columns are not shown. */
  readonly children: ReactNode;
}

/** A table whose rows become blocks on a narrow screen. */
export function StackedTable({ columns, numbers = [], children }: StackedTableProps) {
  return (
    <Table className="stacked">
      <Table.Thead>
        <Table.Tr>
          {columns.map((name) => (
            <Table.Th key={name} className={numbers.includes(name) ? 'number' : undefined}>
              {name === 'Actions' ? <span className="hidden">{name}</span> : name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}
