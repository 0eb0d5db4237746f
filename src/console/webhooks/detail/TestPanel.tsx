import { Alert, Button, Stack, Text } from '@mantine/core';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { Facts } from '../../parts/layout/Facts.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { CopyText } from '../../parts/text/CopyText.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { duration } from '../../parts/text/Time.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { TestedWebhook } from '../answers.ts';
import { answerText } from '../health.ts';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf } from '../webhookResource.ts';

function Outcome({ of: { test } }: { readonly of: TestedWebhook }) {
  return (
    <Stack gap="sm" aria-live="polite">
      <Facts
        of={{
          Outcome: <StateLabel tone={test.delivered ? 'good' : 'bad'} text={answerText(test)} />,
          Reason: test.reason === '' ? undefined : <ServerText text={test.reason} />,
          Duration: duration(test.durationMs),
          'webhook-id': <CopyText text={test.webhookMessageId} what="the webhook-id" />,
          Answer: test.answer === '' ? 'Empty' : undefined,
        }}
      />
      {test.answer !== '' && <pre className="block">{test.answer}</pre>}
    </Stack>
  );
}

/** Sends a test event and shows what the receiver answered. */
export function TestPanel({ of }: { readonly of: WebhookKey }) {
  const test = useOperation(at(webhooksOf(of.scope).test, namesOf(of)), { isQuiet: true });
  return (
    <Panel
      title="Test"
      aside={
        <Button
          variant="default"
          onClick={() => test.mutate({})}
          loading={test.isPending}
          leftSection={<Icon name="send" size={14} />}
        >
          Send a test
        </Button>
      }
    >
      <Stack gap="sm">
        {test.data === undefined && test.error === null && (
          <Text size="sm" className="muted">
            Sends the event <code>webhook.test</code> now, also while the webhook is deactivated. One attempt, which
            counts neither as a success nor as a failure.
          </Text>
        )}
        {test.error !== null && <Problem error={test.error} />}
        {test.data !== undefined && <Outcome of={test.data} />}
        {test.data?.test.status === 410 && (
          <Alert color="yellow">
            410 means that the receiver is gone for good. With receiver signals, a delivery with this answer deactivates
            the webhook.
          </Alert>
        )}
      </Stack>
    </Panel>
  );
}
