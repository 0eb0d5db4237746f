import { Badge, Table } from '@mantine/core';
import { Panel } from '../../parts/layout/Panel.tsx';
import type { Plan, PlannedObject } from '../answers.ts';

const ACTIONS: Readonly<Record<PlannedObject['action'], { readonly text: string; readonly color: string }>> = {
  conflict: { text: 'in conflict', color: 'red' },
  create: { text: 'created', color: 'green' },
  change: { text: 'changed', color: 'blue' },
  remove: { text: 'removed', color: 'orange' },
  keep: { text: 'kept', color: 'gray' },
  unknown: { text: 'compared later', color: 'gray' },
  unchanged: { text: 'unchanged', color: 'gray' },
};

function Fields({ fields }: Pick<PlannedObject, 'fields'>) {
  return (
    <details>
      <summary>
        {fields.length} {fields.length === 1 ? 'field' : 'fields'}
      </summary>
      <Table fz="xs" verticalSpacing={2}>
        <Table.Tbody>
          {fields.map(({ field, before, after, managers }) => (
            <Table.Tr key={field}>
              <Table.Td>
                <code>{field}</code>
                {managers.length > 0 && <span className="muted"> also of {managers.join(', ')}</span>}
              </Table.Td>
              <Table.Td>
                <code>
                  {before ?? 'none'} → {after ?? 'none'}
                </code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  );
}

function ObjectRow({ object, action, fields, reasons, final }: PlannedObject) {
  const { text, color } = ACTIONS[action];
  return (
    <Table.Tr>
      <Table.Td>
        <Badge size="sm" variant="light" color={color}>
          {text}
        </Badge>
      </Table.Td>
      <Table.Td>
        <code>{object}</code>
        {reasons.map((reason) => (
          <div key={reason} className="muted">
            {reason}
          </div>
        ))}
        {final !== null && <div className="muted">This cannot be undone: {final}</div>}
        {fields.length > 0 && <Fields fields={fields} />}
      </Table.Td>
    </Table.Tr>
  );
}

/** What happens to each object of the version. Those that stay as they are, are counted. */
export function Objects({ objects }: { readonly objects: NonNullable<Plan['objects']> }) {
  const changed = objects.filter(({ action }) => action !== 'unchanged');
  const same = objects.length - changed.length;
  return (
    <Panel title="Objects" aside={<span className="muted">{same} stay as they are</span>}>
      {changed.length === 0 ? (
        <p className="muted">All objects are as the version wants them.</p>
      ) : (
        <Table fz="sm" verticalSpacing={4}>
          <Table.Tbody>
            {changed.map((one) => (
              <ObjectRow key={one.object} {...one} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
