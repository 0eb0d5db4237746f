import { Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { webhookLink } from '../app/links.ts';
import { Panel } from '../parts/layout/Panel.tsx';
import { StateLabel } from '../parts/text/StateLabel.tsx';
import { scopeOf } from '../webhooks/scope.ts';
import type { Overview } from './answers.ts';
import { numberText } from '../parts/text/locale.ts';

type Failing = Overview['nearDeactivation'][number];

function countOf(webhooks: number): string {
  return webhooks === 1 ? '1 webhook' : `${numberText(webhooks)} webhooks`;
}

export interface FailingPanelProps {
  /** Near deactivation, the nearest first. */
  readonly webhooks: readonly Failing[];
  readonly inactive: number;
}

/** Webhooks that are inactive or may soon be. */
export function FailingPanel({ webhooks, inactive }: FailingPanelProps) {
  if (webhooks.length === 0 && inactive === 0)
    return (
      <Panel title="Failing webhooks" aside={<StateLabel tone="good" text="None" />}>
        <Text size="sm" className="muted">
          All webhooks are active, and none has half of the failures that deactivate it.
        </Text>
      </Panel>
    );
  const aside =
    inactive > 0 ? (
      <StateLabel tone="bad" text={`${countOf(inactive)} inactive`} />
    ) : (
      <StateLabel tone="warn" text={countOf(webhooks.length)} />
    );
  return (
    <Panel title="Failing webhooks" aside={aside} isFlush>
      <Table>
        <Table.Tbody>
          {inactive > 0 && (
            <Table.Tr>
              <Table.Td colSpan={2}>
                <Link href="/webhooks?health=deactivated" className="link">
                  {inactive === 1 ? 'See why it is inactive' : 'See why they are inactive'}
                </Link>
                <div className="muted">Deliveries of inactive webhooks are held until someone activates them.</div>
              </Table.Td>
            </Table.Tr>
          )}
          {webhooks.map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td>
                <Link href={webhookLink(scopeOf(one), one.id)} className="link">
                  {one.name}
                </Link>
                <div className="muted">{scopeOf(one)}</div>
              </Table.Td>
              <Table.Td className="number">
                {one.failures} {one.failures === 1 ? 'failure' : 'failures'} (limit {one.allowed})
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
