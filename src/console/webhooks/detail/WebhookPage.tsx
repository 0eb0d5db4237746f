import { useLocation } from 'wouter';
import type { Webhook } from '../../api/answers.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { RecentDeliveries } from '../deliveries/RecentDeliveries.tsx';
import { HealthLabel } from '../HealthLabel.tsx';
import { InboxPanel } from '../inbox/InboxPanel.tsx';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf, useWebhook, webhookCrumbs } from '../webhookResource.ts';
import { HealthPanel } from './HealthPanel.tsx';
import { KeyPanel } from './KeyPanel.tsx';
import { LedgerPanel } from './LedgerPanel.tsx';
import { ResendPanel } from './ResendPanel.tsx';
import { SettingsPanel } from './SettingsPanel.tsx';
import { TestPanel } from './TestPanel.tsx';
import { WindowPanel } from './WindowPanel.tsx';

function DeleteButton({ of, name }: { readonly of: WebhookKey; readonly name: string }) {
  const [, navigate] = useLocation();
  const remove = useOperation(at(webhooksOf(of.scope).delete, namesOf(of)), {
    isQuiet: true,
    done: `The webhook ${name} is deleted.`,
    onDone: () => navigate('/webhooks'),
  });
  return (
    <ConfirmButton
      title="Delete this webhook?"
      text="Deletes it with its log and its waiting deliveries. This cannot be undone."
      typed={name}
      onConfirm={() => remove.mutateAsync({})}
    >
      Delete
    </ConfirmButton>
  );
}

function Panels({ of, webhook }: { readonly of: WebhookKey; readonly webhook: Webhook }) {
  return (
    <div className="columns">
      <div>
        <HealthPanel of={of} webhook={webhook} />
        <WindowPanel of={of} webhook={webhook} />
        <RecentDeliveries of={of} />
        <InboxPanel hookUrl={webhook.hookUrl} />
      </div>
      <div>
        <LedgerPanel of={of} ledger={webhook.ledger} />
        <TestPanel of={of} />
        <ResendPanel of={of} ledger={webhook.ledger} />
        <SettingsPanel of={of} webhook={webhook} />
        <KeyPanel of={of} webhook={webhook} />
      </div>
    </div>
  );
}

/** One webhook: its health, its deliveries and everything that can be done with it. */
export function WebhookPage(key: WebhookKey) {
  const webhook = useWebhook(key);
  const { data } = webhook;
  return (
    <>
      <PageHead
        title={data?.name ?? 'Webhook'}
        crumbs={webhookCrumbs(key)}
        aside={data !== undefined && <HealthLabel health={data.health} />}
        actions={data !== undefined && <DeleteButton of={key} name={data.name} />}
      />
      <Resource of={webhook} lines={12}>
        {(found) => <Panels of={key} webhook={found} />}
      </Resource>
    </>
  );
}
