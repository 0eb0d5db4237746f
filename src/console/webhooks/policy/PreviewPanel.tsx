import { Anchor, Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from 'wouter';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { webhookLink } from '../../links.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { Time } from '../../parts/text/Time.tsx';
import type { PolicyPreview } from '../answers.ts';
import { ScopeText } from '../list/WebhookTable.tsx';
import { scopeOf } from '../scope.ts';
import type { PolicyValues } from './attemptTimeline.ts';

const WAIT_MS = 300;

function PreviewTable({ preview }: { readonly preview: PolicyPreview }) {
  return (
    <Table aria-label="Webhooks that the policy would have deactivated">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Webhook</Table.Th>
          <Table.Th visibleFrom="sm">Service</Table.Th>
          <Table.Th className="number" visibleFrom="xs">
            Failures
          </Table.Th>
          <Table.Th>When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {preview.wouldDeactivate.map((one) => (
          <Table.Tr key={one.id}>
            <Table.Td className="nameCell">
              <Anchor component={Link} href={webhookLink(scopeOf(one), one.id)} size="sm" className="clip">
                {one.name}
              </Anchor>
            </Table.Td>
            <Table.Td visibleFrom="sm" className="scopeCell">
              <ScopeText scope={scopeOf(one)} />
            </Table.Td>
            <Table.Td className="number" visibleFrom="xs">
              {one.failures}
            </Table.Td>
            <Table.Td>
              <Time at={one.at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Which webhooks the edited policy would have deactivated, by the recorded failures. */
export function PreviewPanel({ policy }: { readonly policy: PolicyValues }) {
  const { daysInPast, numberOfFailures } = policy;
  const [fields] = useDebouncedValue({ daysInPast, numberOfFailures }, WAIT_MS);
  const preview = useResource(api.webhooks.preview, { fields });
  const count = preview.data?.wouldDeactivate.length;
  return (
    <Panel
      title="What this policy would have done"
      isFlush
      aside={
        <Text size="sm" className="muted" role="status">
          {count !== undefined && `${count} deactivated`}
        </Text>
      }
    >
      <Resource of={preview} lines={3}>
        {(found) =>
          found.wouldDeactivate.length === 0 ? (
            <Text size="sm" className="muted" p="md">
              By the recorded failures, {fields.numberOfFailures} failures within {fields.daysInPast} days would not
              have deactivated any webhook.
            </Text>
          ) : (
            <PreviewTable preview={found} />
          )
        }
      </Resource>
    </Panel>
  );
}
