import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Webhook } from '../../api/answers.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { Facts } from '../../parts/layout/Facts.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { Time } from '../../parts/text/Time.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { LastAnswer, WebhookStatus } from '../answers.ts';
import { answerText, deactivationReason } from '../health.ts';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf } from '../webhookResource.ts';
import { ActivateButtons } from './ActivateButtons.tsx';
import { numberText } from '../../parts/text/locale.ts';

const READ_EVERY_MS = 3000;

const NEXT: Readonly<Record<WebhookStatus['state'], string>> = {
  healthy: 'The receiver accepted the last delivery.',
  failing:
    'The receiver did not accept the last delivery. It is sent again until its attempts are used up. Look at the receiver, or send a test.',
  deactivated: 'Its deliveries are held, also those of new events. Repair the receiver, send a test, then activate it.',
  unreadable:
    'Nothing is sent, because the server lacks the master key of its secrets. An administrator puts the key back. If it is lost, set a new key and the headers.',
  unused: 'No delivery was sent yet. Send a test, or publish an event of a selected type.',
};

function failedText(failed: number): string {
  const count = `${numberText(failed)} ${failed === 1 ? 'delivery has' : 'deliveries have'} failed for good`;
  return `${count}. Use “Send again” to deliver ${failed === 1 ? 'it' : 'them'}.`;
}

function AnswerText({ of }: { readonly of: LastAnswer }): ReactNode {
  return (
    <>
      {answerText(of)}, <Time at={of.at} />
      {of.reason !== undefined && of.reason !== '' && (
        <div>
          <ServerText text={of.reason} />
        </div>
      )}
    </>
  );
}

function DeactivateButton({ of }: { readonly of: WebhookKey }) {
  const deactivate = useOperation(at(webhooksOf(of.scope).deactivate, namesOf(of)), {
    isQuiet: true,
    done: 'The webhook is deactivated.',
  });
  return (
    <ConfirmButton
      title="Deactivate this webhook?"
      text="Its pending deliveries and those of new events are held until you activate it again. Nothing is dropped."
      onConfirm={() => deactivate.mutateAsync({})}
    >
      Deactivate
    </ConfirmButton>
  );
}

/** How the webhook is doing, why, and what to do about it. */
export function HealthPanel({ of, webhook }: { readonly of: WebhookKey; readonly webhook: Webhook }) {
  const status = useResource(at(webhooksOf(of.scope).notificationStatus, namesOf(of)), { everyMs: READ_EVERY_MS });
  const { deactivation, lastAnswer, active, ledger } = webhook;
  const { health } = webhook;
  return (
    <Panel title="Health">
      <Stack gap="md">
        <Text size="sm">
          {!active && (
            <strong>
              <ServerText text={deactivationReason(webhook)} />{' '}
            </strong>
          )}
          {NEXT[health]}
          {ledger.failed > 0 && ` ${failedText(ledger.failed)}`}
        </Text>
        <Facts
          of={{
            Deactivated: deactivation === null ? undefined : <Time at={deactivation.at} />,
            'Last answer': lastAnswer === null ? 'None yet' : <AnswerText of={lastAnswer} />,
            'Last success':
              status.data === undefined || status.data.lastSuccess === null ? (
                'None yet'
              ) : (
                <Time at={status.data.lastSuccess} />
              ),
            'Paused until':
              status.data?.pausedUntil === undefined || status.data.pausedUntil === null ? undefined : (
                <>
                  <Time at={status.data.pausedUntil} as="exact" />, as the receiver asked with Retry-After
                </>
              ),
          }}
        />
        {status.error !== null && <Problem error={status.error} retry={status.refetch} />}
        <Group gap="xs">{active ? <DeactivateButton of={of} /> : <ActivateButtons of={of} held={ledger.held} />}</Group>
      </Stack>
    </Panel>
  );
}
