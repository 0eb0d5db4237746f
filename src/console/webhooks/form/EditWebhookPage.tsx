import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Webhook } from '../../api/answers.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { webhookLink } from '../../links.ts';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { EditedWebhook } from '../answers.ts';
import { SYSTEM, webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf, useWebhook, webhookCrumbs } from '../webhookResource.ts';
import type { FormValues } from './formValues.ts';
import { editFields, valuesOf } from './formValues.ts';
import { useMayChangeReceiver } from './receiverRights.ts';
import { SignatureKey } from './SignatureKey.tsx';
import { WebhookForm } from './WebhookForm.tsx';

/** Shown if the edit had effects that the page of the webhook does not show: dropped headers, or a new key. */
function OriginChanged({ of, edited }: { readonly of: WebhookKey; readonly edited: EditedWebhook }) {
  const { webhook, originChange } = edited;
  return (
    <Panel title="The receiver has changed">
      <Stack gap="md" maw={820}>
        {originChange !== undefined && (
          <Alert color="yellow">
            <ServerText text={originChange.message} />
          </Alert>
        )}
        {webhook.signatureKey !== undefined && (
          <SignatureKey signatureKey={webhook.signatureKey} contentType={webhook.contentType} />
        )}
        <Group>
          <Button component={Link} href={webhookLink(of.scope, of.id)}>
            Open the webhook
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}

function EditForm({ of, stored }: { readonly of: WebhookKey; readonly stored: Webhook }) {
  const [, navigate] = useLocation();
  // The form keeps the revision that it began with, so that a change by another person is reported.
  const [webhook] = useState(stored);
  const [edited, setEdited] = useState<EditedWebhook>();
  const mayChangeReceiver = useMayChangeReceiver(webhook.ownerId);
  const initial = valuesOf(webhook);
  const back = () => navigate(webhookLink(of.scope, of.id));
  const edit = useOperation(at(webhooksOf(of.scope).edit, namesOf(of)), {
    isQuiet: true,
    done: 'The webhook is saved.',
    onDone: (answer) => (answer.originChange === undefined ? back() : setEdited(answer)),
  });
  const submit = (values: FormValues): void => {
    const fields = editFields(initial, values);
    if (Object.keys(fields).length === 0) back();
    else edit.mutate({ ...fields, ifRevision: webhook.revision });
  };
  if (edited !== undefined) return <OriginChanged of={of} edited={edited} />;
  return (
    <Panel>
      <WebhookForm
        initial={initial}
        isNew={false}
        isOfSystem={of.scope === SYSTEM}
        isLocked={!mayChangeReceiver}
        storedHeaders={Object.keys(webhook.headers)}
        submitText="Save"
        isPending={edit.isPending}
        error={edit.error}
        onSubmit={submit}
        onCancel={back}
      >
        {!mayChangeReceiver && (
          <Text size="sm" className="muted">
            Only {webhook.ownerId}, who owns this webhook, and administrators can change its address, its custom headers
            and its key.
          </Text>
        )}
      </WebhookForm>
    </Panel>
  );
}

/** Changes a webhook. Only the fields that were changed are sent. */
export function EditWebhookPage(key: WebhookKey) {
  const webhook = useWebhook(key, { isLive: false });
  return (
    <>
      <PageHead title="Edit" crumbs={webhookCrumbs(key, webhook.data?.name ?? 'Webhook')} />
      <Resource of={webhook} lines={12}>
        {(found) => <EditForm of={key} stored={found} />}
      </Resource>
    </>
  );
}
