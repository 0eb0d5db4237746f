import { Button, Group, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { DELIVERY_POLICY } from '../../../model/entity/deliveryPolicy.ts';
import { changesOf, hasValues } from '../../../model/entity/field.ts';
import { api } from '../../api/operations.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { EntityFields } from '../../parts/form/EntityFields.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { AttemptChart } from './AttemptChart.tsx';
import type { PolicyValues } from './attemptTimeline.ts';
import { PreviewPanel } from './PreviewPanel.tsx';
import { WindowChart } from './WindowChart.tsx';

const { daysInPast, numberOfFailures, ...ATTEMPT_FIELDS } = DELIVERY_POLICY;
const WINDOW_FIELDS = { daysInPast, numberOfFailures };

function PolicyForm({ stored }: { readonly stored: PolicyValues }) {
  const [values, setValues] = useState(stored);
  const save = useOperation(api.webhooks.settings, { done: 'The delivery policy is saved.', isQuiet: true });
  const changes = changesOf(DELIVERY_POLICY, stored, values);
  const isChanged = hasValues(changes);
  const props = {
    values,
    onChange: (change: Partial<PolicyValues>) => setValues({ ...values, ...change }),
    error: save.error,
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(changes);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Panel title="Attempts of one delivery">
          <div className="policyFields">
            <EntityFields of={ATTEMPT_FIELDS} {...props} />
          </div>
          <AttemptChart policy={values} />
        </Panel>
        <Panel title="Deactivation">
          <div className="policyFields">
            <EntityFields of={WINDOW_FIELDS} {...props} />
          </div>
          <WindowChart policy={values} />
        </Panel>
        <PreviewPanel policy={values} />
        {save.error !== null && <Problem error={save.error} />}
        <Group gap="xs" className="saveBar">
          <Button type="submit" disabled={!isChanged} loading={save.isPending}>
            Save the policy
          </Button>
          <Button variant="default" disabled={!isChanged} onClick={() => setValues(stored)}>
            Reset
          </Button>
          <Text size="sm" className="muted">
            Saving deactivates no webhook. The next failure is judged by the new policy.
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** The delivery policy, which applies to all webhooks. */
export function PolicyPage() {
  const policy = useResource(api.webhooks.settings);
  return (
    <>
      <PageHead title="Delivery policy" crumbs={[{ to: '/webhooks', text: 'Webhooks' }]} />
      <Resource of={policy} lines={10}>
        {(stored) => <PolicyForm stored={stored} />}
      </Resource>
    </>
  );
}
