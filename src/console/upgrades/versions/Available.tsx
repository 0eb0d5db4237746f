import { Button, Stack, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { StackedTable } from '../../parts/layout/StackedTable.tsx';
import { Time } from '../../parts/text/Time.tsx';
import type { UpgradePath, Version } from '../answers.ts';

const COLUMNS = ['Version', 'Kind', 'What it is, and the path to it', 'Released', 'Actions'];

function Row({ version, from }: { readonly version: Version; readonly from: string }) {
  const { id, name, update, description, releaseNotes, released, newLicensesRequired } = version;
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={600} size="sm">
          {version.version}.{version.build}
        </Text>
        <Text size="xs" className="muted">
          {name}
        </Text>
      </Table.Td>
      <Table.Td data-label="Kind">{update === 'patch' ? 'Patch' : 'Release'}</Table.Td>
      <Table.Td>
        <Stack gap={0}>
          <span>{description || '–'}</span>
          <span className="muted">
            {from} → {version.version}.{version.build}
            {newLicensesRequired && '; needs a new licence'}
          </span>
          {/^https?:\/\//.test(releaseNotes) ? (
            <a className="link" href={releaseNotes} target="_blank" rel="noreferrer">
              Release notes
            </a>
          ) : (
            <span className="muted">{releaseNotes}</span>
          )}
        </Stack>
      </Table.Td>
      <Table.Td className="number" data-label="Released">
        {released > 0 && <Time at={released} />}
      </Table.Td>
      <Table.Td className="number">
        <Button component={Link} href={`/upgrades/plan/${encodeURIComponent(id)}`}>
          Plan
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

/** A version that needs others first. */
function LaterRow({ path, from }: { readonly path: UpgradePath; readonly from: string }) {
  const target = path.versions.at(-1);
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={600} size="sm">
          {target?.fullVersion}
        </Text>
      </Table.Td>
      <Table.Td>{target?.update === 'patch' ? 'Patch' : 'Release'}</Table.Td>
      <Table.Td colSpan={3}>
        <span className="muted">
          Install the versions before it first: {[from, ...path.versions.map((one) => one.fullVersion)].join(' → ')}
        </span>
      </Table.Td>
    </Table.Tr>
  );
}

/** The versions that can be installed now, and after them those that need others first. */
export function Available() {
  const available = useResource(api.upgrades.available);
  const found = useResource(api.upgrades.paths);
  const { from, paths } = found.data ?? { from: '', paths: [] };
  return (
    <Panel title="Available versions" isFlush>
      <Resource of={available}>
        {(versions) =>
          versions.length === 0 ? (
            <Empty
              title="Nothing to install"
              text="No imported version can be installed over the current one. Import a version manifest to get more."
            />
          ) : (
            <StackedTable columns={COLUMNS} numbers={['Released']}>
              {versions.map((one) => (
                <Row key={one.id} version={one} from={from} />
              ))}
              {paths
                .filter((path) => path.versions.length > 1)
                .map((path) => (
                  <LaterRow key={path.id} path={path} from={from} />
                ))}
            </StackedTable>
          )
        }
      </Resource>
    </Panel>
  );
}
