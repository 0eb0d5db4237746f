import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { at } from '../../../wire/client/call.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { Facts } from '../../parts/layout/Facts.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { CopyText } from '../../parts/text/CopyText.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { Time } from '../../parts/text/Time.tsx';
import type { DeliveryWithLog } from '../answers.ts';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { deliveriesLink, namesOf, useWebhook, webhookCrumbs } from '../webhookResource.ts';
import { AttemptLog } from './AttemptLog.tsx';
import { canBeResent } from './DeliveryTable.tsx';
import { DELIVERY_STATES } from './deliveryStates.ts';
import { jsonLayout } from './jsonLayout.ts';

const READ_EVERY_MS = 2000;

function BodyPanel({ body }: { readonly body: string }) {
  const [view, setView] = useState('formatted');
  return (
    <Panel
      title="Request body"
      aside={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            value={view}
            onChange={setView}
            aria-label="How the body is shown"
            data={[
              { value: 'formatted', label: 'Formatted' },
              { value: 'sent', label: 'As sent' },
            ]}
          />
          <CopyText text={body} what="the body as sent" isShown={false} />
        </Group>
      }
    >
      <pre className="block">{view === 'sent' ? body : jsonLayout(body)}</pre>
    </Panel>
  );
}

function FactsPanel({ of, delivery }: { readonly of: WebhookKey; readonly delivery: DeliveryWithLog }) {
  const { webhookMessageId, eventId, created, ended, nextAttempt } = delivery;
  return (
    <Panel title="Delivery">
      <Facts
        of={{
          Event: <code>{delivery.event}</code>,
          'webhook-id': <CopyText text={webhookMessageId} what="the webhook-id" />,
          eventId: eventId === null ? undefined : <CopyText text={eventId} what="the eventId" />,
          Accepted: <Time at={created} as="exact" />,
          Ended: ended === null ? undefined : <Time at={ended} as="exact" />,
          'Next attempt': nextAttempt === null ? undefined : <Time at={nextAttempt} />,
          Attempts: delivery.attempts,
          'Same event': (
            <Link href={deliveriesLink(of, { 'webhook-id': webhookMessageId })} className="link">
              In the log of this webhook
            </Link>
          ),
        }}
      />
    </Panel>
  );
}

function Redeliver({ of, delivery }: { readonly of: WebhookKey; readonly delivery: DeliveryWithLog }) {
  const redeliver = useOperation(at(webhooksOf(of.scope).redeliver, { ...namesOf(of), delivery: delivery.id }), {
    done: 'The delivery is sent again. Its attempts appear below.',
  });
  return (
    <Button
      variant="default"
      leftSection={<Icon name="repeat" size={14} />}
      onClick={() => redeliver.mutate({})}
      loading={redeliver.isPending}
      disabled={!canBeResent(delivery)}
    >
      Send again
    </Button>
  );
}

function Panels({ of, delivery }: { readonly of: WebhookKey; readonly delivery: DeliveryWithLog }) {
  return (
    <div className="columns">
      <div>
        <Panel title="Attempts">
          {delivery.log.length === 0 ? (
            <Text size="sm" className="muted">
              {delivery.state === 'held'
                ? 'Not attempted yet: the delivery is held until the webhook is active.'
                : 'Not attempted yet.'}
            </Text>
          ) : (
            <AttemptLog log={delivery.log} />
          )}
        </Panel>
      </div>
      <Stack gap="md">
        <FactsPanel of={of} delivery={delivery} />
        <BodyPanel body={delivery.body} />
      </Stack>
    </div>
  );
}

export interface DeliveryPageProps extends WebhookKey {
  readonly delivery: string;
}

/** One delivery, attempt by attempt. */
export function DeliveryPage({ scope, id, delivery }: DeliveryPageProps) {
  const key = { scope, id };
  const webhook = useWebhook(key, { isLive: false });
  const found = useResource(at(webhooksOf(key.scope).delivery, { ...namesOf(key), delivery }), {
    everyMs: READ_EVERY_MS,
  });
  const { data } = found;
  const crumbs = [
    ...webhookCrumbs(key, webhook.data?.name ?? 'Webhook'),
    { to: deliveriesLink(key), text: 'Deliveries' },
  ];
  return (
    <>
      <PageHead
        title={`Delivery ${delivery}`}
        crumbs={crumbs}
        aside={data !== undefined && <StateLabel {...DELIVERY_STATES[data.state]} />}
        actions={data !== undefined && <Redeliver of={key} delivery={data} />}
      />
      <Resource of={found} lines={12}>
        {(one) => <Panels of={key} delivery={one} />}
      </Resource>
    </>
  );
}
