import { Button, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { WEBHOOK } from '../../../model/entity/webhook.ts';
import type { Webhook } from '../../api/answers.ts';
import { entityFacts } from '../../parts/layout/entityFacts.tsx';
import { Facts } from '../../parts/layout/Facts.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { CopyText } from '../../parts/text/CopyText.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { Time } from '../../parts/text/Time.tsx';
import { ScopeText } from '../list/WebhookTable.tsx';
import type { WebhookKey } from '../webhookResource.ts';
import { editLink } from '../webhookResource.ts';

function EventTypes({ types }: { readonly types: readonly string[] }) {
  const named = types.filter((type) => type !== '*');
  return (
    <>
      {types.includes('*') && <div>All types</div>}
      {named.map((type) => (
        <div key={type}>
          <code>{type}</code>
        </div>
      ))}
    </>
  );
}

/** The head of the page has the name and the state. */
const { name: _, active: __, ...SHOWN } = WEBHOOK;

export function SettingsPanel({ of, webhook }: { readonly of: WebhookKey; readonly webhook: Webhook }) {
  const headers = Object.keys(webhook.headers);
  return (
    <Panel
      title="Settings"
      aside={
        <Button component={Link} href={editLink(of)} variant="default" leftSection={<Icon name="edit" size={14} />}>
          Edit
        </Button>
      }
    >
      <Facts
        of={{
          Service: <ScopeText scope={of.scope} />,
          ...entityFacts(SHOWN, webhook, {
            hookUrl: <CopyText text={webhook.hookUrl} what="the address" />,
            changeTypes: <EventTypes types={webhook.changeTypes} />,
            ...(webhook.signatureHeader !== '' && { signatureHeader: <code>{webhook.signatureHeader}</code> }),
          }),
          'Custom headers':
            headers.length === 0 ? (
              'None'
            ) : (
              <Stack gap={0}>
                {headers.map((name) => (
                  <span key={name}>
                    <code>{name}</code> <span className="muted">value hidden</span>
                  </span>
                ))}
              </Stack>
            ),
          Owner: webhook.ownerId,
          Created: <Time at={webhook.created} />,
          Changed: <Time at={webhook.modified} />,
          Id: <CopyText text={webhook.id} what="the id" />,
        }}
      />
    </Panel>
  );
}
