import { Table } from '@mantine/core';
import { Link } from 'wouter';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { jobLink } from '../../links.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { StackedTable } from '../../parts/layout/StackedTable.tsx';
import { Time, duration } from '../../parts/text/Time.tsx';
import type { History } from '../answers.ts';
import { LeftOut } from '../parts/LeftOut.tsx';
import { JobStateLabel } from '../parts/JobStateLabel.tsx';
import { kindName } from '../parts/jobState.ts';

type Past = History['updates'][number];

function Row({ past }: { readonly past: Past }) {
  const { id, kind, from, to, startedAt, startedBy, endedAt, incomplete } = past;
  return (
    <Table.Tr>
      <Table.Td>
        <Link href={jobLink(id)} className="link">
          {kindName(kind)} {from} → {to}
        </Link>
        <LeftOut parts={incomplete} />
      </Table.Td>
      <Table.Td>
        <JobStateLabel job={past} />
      </Table.Td>
      <Table.Td data-label="By">{startedBy}</Table.Td>
      <Table.Td className="number" data-label="Started">
        <Time at={startedAt} />
      </Table.Td>
      <Table.Td className="number" data-label="Took">
        {endedAt === null ? '' : duration(endedAt - startedAt)}
      </Table.Td>
    </Table.Tr>
  );
}

export function HistoryPanel() {
  const history = useResource(api.upgrades.history);
  return (
    <Panel title="History" isFlush>
      <Resource of={history}>
        {({ updates }) =>
          updates.length === 0 ? (
            <Empty title="No upgrade yet" text="Upgrades and rollbacks are listed here, with how they ended." />
          ) : (
            <StackedTable columns={['Job', 'Result', 'By', 'Started', 'Took']} numbers={['Started', 'Took']}>
              {updates.map((one) => (
                <Row key={one.id} past={one} />
              ))}
            </StackedTable>
          )
        }
      </Resource>
    </Panel>
  );
}
