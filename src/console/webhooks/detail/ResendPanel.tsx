import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import type { Ledger } from '../answers.ts';
import { fromLocalField } from '../../parts/form/localTime.ts';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf } from '../webhookResource.ts';
import { JobProgress } from './JobProgress.tsx';
import { numberText } from '../../parts/text/locale.ts';

interface Resend {
  readonly operation: 'redeliverFailed' | 'redeliverHeld';
  readonly label: string;
  readonly explanation: string;
}

const FAILED: Resend = {
  operation: 'redeliverFailed',
  label: 'Failed since',
  explanation: 'Each keeps its webhook-id and gets all its attempts again. A resend never counts as a failure.',
};

const HELD: Resend = {
  operation: 'redeliverHeld',
  label: 'Held since',
  explanation: 'Sends them without activating the webhook. One that fails stays held, and the failure is not counted.',
};

function useResend(of: WebhookKey, { operation }: Resend) {
  const address = at(webhooksOf(of.scope)[operation], namesOf(of));
  const count = useOperation(address, { isQuiet: true });
  const send = useOperation(address, { isQuiet: true });
  return { count, send };
}

type ResendState = ReturnType<typeof useResend>;

/** All are sent at once. Those since a time are counted first, and sent by a second click. */
function ResendButtons({ state: { count, send }, since }: { readonly state: ResendState; readonly since: string }) {
  const counted = count.data?.deliveries;
  if (since === '')
    return (
      <Button size="sm" variant="default" onClick={() => send.mutate({})} loading={send.isPending}>
        Send all again
      </Button>
    );
  const fields = { since };
  return (
    <Group gap="xs">
      <Button
        size="sm"
        variant="default"
        onClick={() => count.mutate({ ...fields, dryRun: true })}
        loading={count.isPending}
        disabled={send.isPending}
      >
        Count them
      </Button>
      {counted !== undefined && counted > 0 && (
        <Button
          size="sm"
          onClick={() => send.mutate(fields, { onSuccess: () => count.reset() })}
          loading={send.isPending}
        >
          Send {numberText(counted)} again
        </Button>
      )}
      {counted === 0 && (
        <Text size="sm" className="muted" role="status">
          There are none.
        </Text>
      )}
    </Group>
  );
}

interface ResendFormProps {
  readonly of: WebhookKey;
  readonly resend: Resend;
  readonly count: number;
}

function ResendForm({ of, resend, count: waiting }: ResendFormProps) {
  const [since, setSince] = useState('');
  const state = useResend(of, resend);
  const { count, send } = state;
  const error = send.error ?? count.error;
  // The form stays while it shows the progress of what it has started.
  if (waiting === 0 && send.data === undefined && error === null) return undefined;
  const jobId = send.data?.jobId;
  const change = (value: string): void => {
    setSince(value);
    count.reset();
  };
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <TextInput
          type="datetime-local"
          label={resend.label}
          description="In your time zone. Empty for all."
          value={since}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          maw={220}
        />
        <ResendButtons state={state} since={fromLocalField(since)} />
      </Group>
      <Text size="xs" className="muted">
        {resend.explanation}
      </Text>
      {error !== null && <Problem error={error} />}
      {send.data !== undefined && jobId === undefined && <Text size="sm">Nothing was left to send.</Text>}
      {jobId !== undefined && <JobProgress key={jobId} id={jobId} />}
    </Stack>
  );
}

/** Sends failed or held deliveries again, as a job at a limited rate. */
export function ResendPanel({ of, ledger }: { readonly of: WebhookKey; readonly ledger: Ledger }) {
  return (
    <Panel title="Send again">
      <Stack gap="lg">
        {ledger.failed === 0 && ledger.held === 0 && (
          <Text size="sm" className="muted">
            No delivery is failed or held. If there are some, you can send them again from here.
          </Text>
        )}
        <ResendForm of={of} resend={FAILED} count={ledger.failed} />
        <ResendForm of={of} resend={HELD} count={ledger.held} />
      </Stack>
    </Panel>
  );
}
