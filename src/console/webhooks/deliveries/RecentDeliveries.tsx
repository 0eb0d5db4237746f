import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { at } from '../../../wire/client/call.ts';
import { useResource } from '../../api/queries.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { deliveriesLink, namesOf } from '../webhookResource.ts';
import { DeliveryTable } from './DeliveryTable.tsx';

const READ_EVERY_MS = 3000;
const RECENT = 8;

/** The newest deliveries of a webhook. */
export function RecentDeliveries({ of }: { readonly of: WebhookKey }) {
  const recent = useResource(at(webhooksOf(of.scope).deliveries, namesOf(of)), {
    fields: { num: RECENT },
    everyMs: READ_EVERY_MS,
  });
  return (
    <Panel
      title="Newest deliveries"
      isFlush
      aside={
        <Anchor component={Link} href={deliveriesLink(of)} size="sm">
          All deliveries
        </Anchor>
      }
    >
      <Resource of={recent} lines={RECENT}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty
              title="No deliveries yet"
              text="A delivery appears here when the service publishes an event of a selected type. A test is not in the log."
            />
          ) : (
            <DeliveryTable of={of} deliveries={deliveries} isShort />
          )
        }
      </Resource>
    </Panel>
  );
}
