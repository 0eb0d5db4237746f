import { Button, Group, NativeSelect, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { StackedTable } from '../../parts/layout/StackedTable.tsx';
import type { Fault } from '../answers.ts';
import { FAULTS, isFault } from './faults.ts';
import { useIsSimulated } from './useIsSimulated.ts';

const LOOK_EVERY_MS = 3000;

function FaultRow({ fault }: { readonly fault: Fault }) {
  const remove = useOperation(api.demo.removeFaults);
  const { id, kind, workload, phase, hook, struck } = fault;
  const where = [workload, phase, hook].filter((one) => one !== null).join(', ');
  return (
    <Table.Tr>
      <Table.Td>{FAULTS[kind]}</Table.Td>
      <Table.Td>{where === '' ? 'everywhere' : <code>{where}</code>}</Table.Td>
      <Table.Td className="number">{struck === 0 ? 'not yet' : struck === 1 ? 'once' : `${struck} times`}</Table.Td>
      <Table.Td className="number">
        <Button variant="default" onClick={() => remove.mutate({ id })} loading={remove.isPending}>
          Remove
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function AddFault() {
  const [kind, setKind] = useState<Fault['kind']>('crashLoop');
  const add = useOperation(api.demo.addFault, { done: 'The fault affects work that starts from now on.' });
  return (
    <Group align="flex-end" gap="xs" p="md">
      {/* The list of the browser: to make another one takes longer than the rest of the page of a job. */}
      <NativeSelect
        label="Fault"
        size="sm"
        data={Object.entries(FAULTS).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={({ currentTarget: { value } }) => isFault(value) && setKind(value)}
        w={320}
        maw="100%"
      />
      <Button onClick={() => add.mutate({ kind })} size="sm">
        Put it in
      </Button>
    </Group>
  );
}

/** Puts faults into the simulated deployment, to see what an upgrade does about them. A real deployment has no board. */
export function FaultBoard() {
  const isSimulated = useIsSimulated();
  const faults = useResource(api.demo.faults, { everyMs: LOOK_EVERY_MS, isEnabled: isSimulated });
  if (!isSimulated) return undefined;
  return (
    <Panel title="Faults of the simulated deployment" isFlush>
      <AddFault />
      <Resource of={faults} lines={1}>
        {({ faults: all }) =>
          all.length === 0 ? (
            <Text size="sm" className="muted" px="md" pb="md">
              No fault is in. Put one in, start an upgrade, and see how it ends.
            </Text>
          ) : (
            <StackedTable columns={['Fault', 'Where', 'Took effect', 'Actions']} numbers={['Took effect']}>
              {all.map((one) => (
                <FaultRow key={one.id} fault={one} />
              ))}
            </StackedTable>
          )
        }
      </Resource>
    </Panel>
  );
}
