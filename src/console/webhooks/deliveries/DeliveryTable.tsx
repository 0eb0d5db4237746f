import { ActionIcon, Anchor, Table, Text, Tooltip } from '@mantine/core';
import { Link } from 'wouter';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { deliveryLink } from '../../links.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { Time, duration } from '../../parts/text/Time.tsx';
import type { Delivery } from '../answers.ts';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf } from '../webhookResource.ts';
import { DELIVERY_STATES } from './deliveryStates.ts';

/** Whether a delivery can be sent again: it has ended, or it is held and not being resent. */
export function canBeResent({ state, nextAttempt }: Delivery): boolean {
  return state !== 'pending' && (state !== 'held' || nextAttempt === null);
}

function Redeliver({ of, delivery }: { readonly of: WebhookKey; readonly delivery: Delivery }) {
  const redeliver = useOperation(at(webhooksOf(of.scope).redeliver, { ...namesOf(of), delivery: delivery.id }), {
    done: `Delivery ${delivery.id} is sent again.`,
  });
  return (
    <Tooltip label="Send again">
      <ActionIcon
        aria-label={`Send delivery ${delivery.id} again`}
        onClick={() => redeliver.mutate({})}
        loading={redeliver.isPending}
        size="sm"
      >
        <Icon name="repeat" size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

function EndCell({ delivery: { created, ended, nextAttempt } }: { readonly delivery: Delivery }) {
  if (ended !== null) return <>after {duration(ended - created)}</>;
  if (nextAttempt === null) return <span className="muted">not planned</span>;
  return (
    <>
      next <Time at={nextAttempt} />
    </>
  );
}

interface RowProps {
  readonly of: WebhookKey;
  readonly delivery: Delivery;
  readonly isShort: boolean;
}

function Row({ of, delivery, isShort }: RowProps) {
  const { id, event, eventId, webhookMessageId, state, attempts, created } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <StateLabel {...DELIVERY_STATES[state]} />
      </Table.Td>
      <Table.Td className="eventCell">
        <Anchor component={Link} href={deliveryLink(of.scope, of.id, id)} size="sm" className="clip" title={event}>
          {event}
        </Anchor>
        <Text size="xs" className="muted mono clip" title={webhookMessageId}>
          {webhookMessageId}
        </Text>
      </Table.Td>
      {!isShort && (
        <Table.Td className="eventIdCell" visibleFrom="lg">
          <span className="mono clip" title={eventId ?? ''}>
            {eventId ?? ''}
          </span>
        </Table.Td>
      )}
      <Table.Td visibleFrom="sm">
        <Time at={created} as={isShort ? 'relative' : 'exact'} />
      </Table.Td>
      <Table.Td className="number" visibleFrom="sm">
        {attempts}
      </Table.Td>
      {!isShort && (
        <Table.Td visibleFrom="sm" className="endCell">
          <EndCell delivery={delivery} />
        </Table.Td>
      )}
      <Table.Td className="actionCell">{canBeResent(delivery) && <Redeliver of={of} delivery={delivery} />}</Table.Td>
    </Table.Tr>
  );
}

export interface DeliveryTableProps {
  readonly of: WebhookKey;
  readonly deliveries: readonly Delivery[];
  /** Whether the table shares the width of the page with others. */
  readonly isShort?: boolean;
}

export function DeliveryTable({ of, deliveries, isShort = false }: DeliveryTableProps) {
  return (
    <Table highlightOnHover aria-label="Deliveries">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>State</Table.Th>
          <Table.Th>Event</Table.Th>
          {!isShort && <Table.Th visibleFrom="lg">eventId</Table.Th>}
          <Table.Th visibleFrom="sm">Accepted</Table.Th>
          <Table.Th className="number" visibleFrom="sm">
            Attempts
          </Table.Th>
          {!isShort && <Table.Th visibleFrom="sm">End</Table.Th>}
          <Table.Th>
            <span className="hidden">Actions</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <Row key={delivery.id} of={of} delivery={delivery} isShort={isShort} />
        ))}
      </Table.Tbody>
    </Table>
  );
}
