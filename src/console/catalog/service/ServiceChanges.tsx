import { Table } from '@mantine/core';
import { Link } from 'wouter';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useResource } from '../../api/queries.ts';
import { auditLink } from '../../links.ts';
import { useMay } from '../../api/session.ts';
import { Difference } from '../../parts/difference/Difference.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { StackedTable } from '../../parts/layout/StackedTable.tsx';
import { Time } from '../../parts/text/Time.tsx';

const SHOWN = 5;
const READ_EVERY_MS = 5000;

const ACTIONS: Readonly<Record<string, string>> = {
  'service.create': 'Published',
  'service.edit': 'Edited',
  'service.start': 'Started',
  'service.stop': 'Stopped',
  'service.delete': 'Deleted',
};

/** The newest changes of the service, each with the user who made it. The audit log has all of them. */
export function ServiceChanges({ label }: { readonly label: string }) {
  const changes = useResource(at(api.catalog.changes, { service: label }), {
    fields: { num: SHOWN },
    everyMs: READ_EVERY_MS,
  });
  const mayAudit = useMay('administrator');
  return (
    <Panel
      title="Changes"
      isFlush
      aside={
        mayAudit && (
          <Link href={auditLink(`service ${label}`)} className="link">
            All changes
          </Link>
        )
      }
    >
      <Resource of={changes}>
        {({ changes: found }) => (
          <StackedTable columns={['When', 'Who', 'Action', 'Change']}>
            {found.map(({ id, when, who, action, before, after }) => (
              <Table.Tr key={id}>
                <Table.Td data-label="When">
                  <Time at={when} as="exact" />
                </Table.Td>
                <Table.Td data-label="Who">{who}</Table.Td>
                <Table.Td data-label="Action">{ACTIONS[action] ?? action}</Table.Td>
                <Table.Td data-label="Change">
                  <Difference before={before} after={after} />
                </Table.Td>
              </Table.Tr>
            ))}
          </StackedTable>
        )}
      </Resource>
    </Panel>
  );
}
