import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import type { Webhook } from '../../api/answers.ts';
import { serviceLink, webhookLink } from '../../links.ts';
import { useGradualCount } from '../../parts/layout/useGradualCount.ts';
import { Time } from '../../parts/text/Time.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import { HealthLabel } from '../HealthLabel.tsx';
import { answerText, deactivationReason } from '../health.ts';
import { SYSTEM, scopeOf } from '../scope.ts';
import { numberText } from '../../parts/text/locale.ts';

/** Longer tables make the page slow; the rest is one click away. */
const ROWS = 200;
const ROWS_IN_A_FRAME = 10;

export function ScopeText({ scope }: { readonly scope: string }) {
  if (scope === SYSTEM) return <span className="muted">System</span>;
  return (
    <Anchor component={Link} href={serviceLink(scope)} fz="inherit" c="inherit" className="clip" title={scope}>
      {scope}
    </Anchor>
  );
}

function HealthCell({ webhook }: { readonly webhook: Webhook }) {
  const reason = deactivationReason(webhook);
  return (
    <>
      <HealthLabel health={webhook.health} />
      {reason !== '' && (
        <Text size="xs" className="muted clip" maw={220} title={reason} visibleFrom="sm">
          <ServerText text={reason} />
        </Text>
      )}
    </>
  );
}

function LastAnswerCell({ of }: { readonly of: Webhook['lastAnswer'] }) {
  if (of === null) return <span className="muted">None yet</span>;
  return (
    <>
      <span>{answerText(of)}</span>
      <Text size="xs" className="muted">
        <Time at={of.at} />
      </Text>
    </>
  );
}

function Count({ of }: { readonly of: number }) {
  return <span className={of === 0 ? 'muted' : undefined}>{numberText(of)}</span>;
}

/** An answer shares the unchanged webhooks with the one before it, so that only rows that change are drawn again. */
const Row = memo(function Row({ webhook }: { readonly webhook: Webhook }) {
  const { id, name, hookUrl, failureWindow, ledger, lastAnswer } = webhook;
  const scope = scopeOf(webhook);
  return (
    <Table.Tr>
      <Table.Td className="nameCell">
        <Anchor component={Link} href={webhookLink(scope, id)} size="sm" fw={500} className="clip" title={name}>
          {name}
        </Anchor>
        <Text size="xs" className="muted mono clip" title={hookUrl}>
          {hookUrl}
        </Text>
        <Text size="xs" hiddenFrom="sm" className="clip">
          <ScopeText scope={scope} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm" className="scopeCell">
        <ScopeText scope={scope} />
      </Table.Td>
      <Table.Td>
        <HealthCell webhook={webhook} />
      </Table.Td>
      <Table.Td className="number" visibleFrom="sm">
        {failureWindow === null ? (
          <span className="muted">0</span>
        ) : (
          `${failureWindow.failures} (limit ${failureWindow.allowed})`
        )}
      </Table.Td>
      <Table.Td className="number" visibleFrom="sm">
        <Count of={ledger.pending} />
      </Table.Td>
      <Table.Td className="number" visibleFrom="sm">
        <Count of={ledger.held} />
      </Table.Td>
      <Table.Td visibleFrom="sm" className="answerCell">
        <LastAnswerCell of={lastAnswer} />
      </Table.Td>
    </Table.Tr>
  );
});

export function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const [shown, setShown] = useState(ROWS);
  // The first rows are there at once; to draw all of them takes longer.
  const drawn = useGradualCount(Math.min(shown, webhooks.length), ROWS_IN_A_FRAME);
  return (
    <>
      <Table highlightOnHover aria-label="Webhooks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Webhook</Table.Th>
            <Table.Th visibleFrom="sm">Service</Table.Th>
            <Table.Th>Health</Table.Th>
            <Table.Th className="number" visibleFrom="sm">
              Failures
            </Table.Th>
            <Table.Th className="number" visibleFrom="sm">
              Pending
            </Table.Th>
            <Table.Th className="number" visibleFrom="sm">
              Held
            </Table.Th>
            <Table.Th visibleFrom="sm">Last answer</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {webhooks.slice(0, drawn).map((webhook) => (
            <Row key={webhook.id} webhook={webhook} />
          ))}
        </Table.Tbody>
      </Table>
      {webhooks.length > shown && (
        <Group justify="center" p="sm">
          <Button variant="default" onClick={() => setShown(shown + ROWS)}>
            Show more ({webhooks.length - shown} left)
          </Button>
        </Group>
      )}
    </>
  );
}
