import { Button, Table } from '@mantine/core';
import { Link } from 'wouter';
import type { Webhook } from '../../api/answers.ts';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useResource } from '../../api/queries.ts';
import { webhookLink } from '../../links.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { StackedTable } from '../../parts/layout/StackedTable.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { Time } from '../../parts/text/Time.tsx';
import { numberText } from '../../parts/text/locale.ts';
import { HealthLabel } from '../../webhooks/HealthLabel.tsx';

const READ_EVERY_MS = 5000;
const COLUMNS = ['Webhook', 'State', 'Events', 'Delivered', 'Waiting', 'Failed', 'Last attempt'];

function Row({ label, webhook }: { readonly label: string; readonly webhook: Webhook }) {
  const { id, name, hookUrl, health, changeTypes, ledger, lastAnswer } = webhook;
  return (
    <Table.Tr>
      <Table.Td>
        <Link href={webhookLink(label, id)} className="link">
          {name}
        </Link>
        <div className="muted cut" title={hookUrl}>
          {hookUrl}
        </div>
      </Table.Td>
      <Table.Td>
        <HealthLabel health={health} />
      </Table.Td>
      <Table.Td data-label="Events">
        {changeTypes.map((type) => (type === '*' ? 'All events' : type)).join(', ')}
      </Table.Td>
      <Table.Td className="number" data-label="Delivered">
        {numberText(ledger.delivered)}
      </Table.Td>
      <Table.Td className="number" data-label="Waiting">
        {numberText(ledger.pending + ledger.held)}
      </Table.Td>
      <Table.Td className="number" data-label="Failed">
        {numberText(ledger.failed)}
      </Table.Td>
      <Table.Td data-label="Last attempt">
        {lastAnswer === null ? <span className="muted">Never</span> : <Time at={lastAnswer.at} />}
      </Table.Td>
    </Table.Tr>
  );
}

function Webhooks({ label, webhooks }: { readonly label: string; readonly webhooks: readonly Webhook[] }) {
  if (webhooks.length === 0)
    return (
      <Empty
        title="No webhooks yet"
        text="A webhook sends the events of this service to an address of yours. Create one to receive them."
      />
    );
  return (
    <StackedTable columns={COLUMNS} numbers={['Delivered', 'Waiting', 'Failed']}>
      {webhooks.map((webhook) => (
        <Row key={webhook.id} label={label} webhook={webhook} />
      ))}
    </StackedTable>
  );
}

/** The webhooks of a service, each with a link to its events and deliveries. */
export function ServiceWebhooks({ label }: { readonly label: string }) {
  const page = useResource(at(api.serviceWebhooks.list, { service: label }), { everyMs: READ_EVERY_MS });
  return (
    <Panel
      title="Webhooks"
      isFlush
      aside={
        <Button
          component={Link}
          href={`/webhooks/new?service=${encodeURIComponent(label)}`}
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
        >
          Create a webhook
        </Button>
      }
    >
      <Resource of={page}>{({ webhooks }) => <Webhooks label={label} webhooks={webhooks} />}</Resource>
    </Panel>
  );
}
