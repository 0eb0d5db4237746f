import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../../api/operations.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { labelOf, webhookLink } from '../../links.ts';
import { useMay } from '../../api/session.ts';
import { useAddressFilter } from '../../parts/form/addressFields.ts';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import type { CreatedWebhook } from '../answers.ts';
import { SYSTEM, webhooksOf } from '../scope.ts';
import { NEW_VALUES, createFields } from './formValues.ts';
import { SignatureKey } from './SignatureKey.tsx';
import { WebhookForm } from './WebhookForm.tsx';

const CRUMBS = [{ to: '/webhooks', text: 'Webhooks' }];

function Created({ scope, created }: { readonly scope: string; readonly created: CreatedWebhook['webhook'] }) {
  return (
    <Panel title={`${created.name} is created`}>
      <Stack gap="md" maw={820}>
        <SignatureKey signatureKey={created.signatureKey} contentType={created.contentType} />
        <Group>
          <Button component={Link} href={webhookLink(scope, created.id)}>
            I have copied the key. Open the webhook
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}

function useServiceChoices(): { readonly value: string; readonly label: string }[] {
  const catalog = useResource(api.catalog.export);
  const isAdministrator = useMay('administrator');
  return useMemo(() => {
    const labels = (catalog.data?.services ?? []).map(({ folderName, serviceName, type }) =>
      labelOf(folderName, serviceName, type),
    );
    const ofSystem = isAdministrator ? [{ value: SYSTEM, label: 'System: events about all services' }] : [];
    return [...ofSystem, ...labels.toSorted().map((label) => ({ value: label, label }))];
  }, [catalog.data, isAdministrator]);
}

function ServiceChooser({ scope, onChange }: { readonly scope: string; readonly onChange: (scope: string) => void }) {
  const choices = useServiceChoices();
  const isKnown = scope === '' || choices.some(({ value }) => value === scope);
  return (
    <Select
      label="Service"
      description="Whose events are sent."
      placeholder="Choose a service"
      data={isKnown ? choices : [...choices, { value: scope, label: scope }]}
      value={scope === '' ? null : scope}
      onChange={(value) => onChange(value ?? '')}
      searchable
      required
      nothingFoundMessage="There is no such service."
    />
  );
}

/** Creates a webhook, then shows its key once. */
export function NewWebhookPage() {
  const [filter, change] = useAddressFilter();
  const [, navigate] = useLocation();
  const [created, setCreated] = useState<CreatedWebhook['webhook']>();
  const scope = filter.get('service') ?? '';
  const create = useOperation(at(webhooksOf(scope).create, { service: scope }), {
    isQuiet: true,
    onDone: ({ webhook }) => setCreated(webhook),
  });
  return (
    <>
      <PageHead title="New webhook" crumbs={CRUMBS} />
      {created === undefined ? (
        <Panel>
          <WebhookForm
            initial={NEW_VALUES}
            isNew
            isOfSystem={scope === SYSTEM}
            isLocked={false}
            storedHeaders={[]}
            submitText="Create the webhook"
            isPending={create.isPending}
            error={create.error}
            onSubmit={(values) => scope !== '' && create.mutate(createFields(values))}
            onCancel={() => navigate('/webhooks')}
          >
            <Text size="sm" className="muted">
              Steward sends each event of the service to the receiver, signed, and repeats it until the receiver accepts
              it or the attempts of the policy are used up.
            </Text>
            <ServiceChooser scope={scope} onChange={(service) => change({ service })} />
          </WebhookForm>
        </Panel>
      ) : (
        <Created scope={scope} created={created} />
      )}
    </>
  );
}
