import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { AttemptChart } from './AttemptChart.tsx';
import type { PolicyValues } from './attemptTimeline.ts';
import { PreviewPanel } from './PreviewPanel.tsx';
import { WindowChart } from './WindowChart.tsx';

interface NumberField {
  readonly name: keyof PolicyValues;
  readonly label: string;
  readonly description: string;
  readonly max: number;
  readonly suffix?: string;
}

const ATTEMPT_FIELDS: readonly NumberField[] = [
  {
    name: 'notificationAttempts',
    label: 'Attempts',
    description: 'After this many, the delivery has failed. 1 to 5.',
    max: 5,
  },
  {
    name: 'notificationTimeOutInSeconds',
    label: 'Time-out of an attempt',
    description: 'Until the last byte of the answer. 1 to 60.',
    max: 60,
    suffix: ' s',
  },
  {
    name: 'notificationElapsedTimeInSeconds',
    label: 'Wait after a failed attempt',
    description: '1 to 86400 seconds (one day).',
    max: 86_400,
    suffix: ' s',
  },
];

const WINDOW_FIELDS: readonly NumberField[] = [
  {
    name: 'daysInPast',
    label: 'Days of the failure window',
    description: 'UTC days, with the first one. 1 to 365.',
    max: 365,
  },
  {
    name: 'numberOfFailures',
    label: 'Failures that deactivate',
    description: 'Failed deliveries within the window. 1 to 100000.',
    max: 100_000,
  },
];

const FIELDS = [...ATTEMPT_FIELDS, ...WINDOW_FIELDS];

interface FieldsProps {
  readonly fields: readonly NumberField[];
  readonly values: PolicyValues;
  readonly onChange: (values: PolicyValues) => void;
}

function Fields({ fields, values, onChange }: FieldsProps) {
  return (
    <div className="policyFields">
      {fields.map(({ name, label, description, max, suffix }) => (
        <NumberInput
          key={name}
          label={label}
          description={description}
          value={values[name]}
          // An empty field keeps the former value, so that the chart always shows a policy that can be saved.
          onChange={(value) => typeof value === 'number' && value >= 1 && onChange({ ...values, [name]: value })}
          min={1}
          max={max}
          suffix={suffix}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="strict"
          required
          size="sm"
        />
      ))}
    </div>
  );
}

function PolicyForm({ stored }: { readonly stored: PolicyValues }) {
  const [values, setValues] = useState(stored);
  const save = useOperation(api.webhooks.settings, { done: 'The delivery policy is saved.', isQuiet: true });
  const changed = FIELDS.filter(({ name }) => values[name] !== stored[name]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(Object.fromEntries(changed.map(({ name }) => [name, values[name]])));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Panel title="Attempts of one delivery">
          <Fields fields={ATTEMPT_FIELDS} values={values} onChange={setValues} />
          <AttemptChart policy={values} />
        </Panel>
        <Panel title="Deactivation">
          <Fields fields={WINDOW_FIELDS} values={values} onChange={setValues} />
          <WindowChart policy={values} />
        </Panel>
        <PreviewPanel policy={values} />
        {save.error !== null && <Problem error={save.error} />}
        <Group gap="xs" className="saveBar">
          <Button type="submit" disabled={changed.length === 0} loading={save.isPending}>
            Save the policy
          </Button>
          <Button variant="default" disabled={changed.length === 0} onClick={() => setValues(stored)}>
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
