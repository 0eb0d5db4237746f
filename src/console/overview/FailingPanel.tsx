import { Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { webhookLink } from '../links.ts';
import { Panel } from '../parts/layout/Panel.tsx';
import { StateLabel } from '../parts/text/StateLabel.tsx';
import { SYSTEM } from '../webhooks/scope.ts';
import type { Overview } from './answers.ts';
import { numberText } from '../parts/text/locale.ts';

function countOf(webhooks: number): string {
  return webhooks === 1 ? '1 webhook' : `${numberText(webhooks)} webhooks`;
}

function Inactive({ count }: { readonly count: number }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Link href="/webhooks?health=deactivated" className="link">
          {count === 1 ? 'See why it is inactive' : 'See why they are inactive'}
        </Link>
        <div className="muted">Deliveries of inactive webhooks are held until someone activates them.</div>
      </Table.Td>
    </Table.Tr>
  );
}

/** Webhooks that fail, are inactive or may soon be, as the server lists them. */
export function FailingPanel({
  overview: { attention, deliveries, nearDeactivation },
}: {
  readonly overview: Overview;
}) {
  const { inactive } = deliveries;
  const webhooks = attention.filter(({ kind }) => kind.startsWith('webhook') && kind !== 'webhookDeactivated');
  if (webhooks.length === 0 && inactive === 0)
    return (
      <Panel title="Failing webhooks" aside={<StateLabel tone="good" text="None" />}>
        <Text size="sm" className="muted">
          All webhooks are active, and their receivers accepted the last deliveries.
        </Text>
      </Panel>
    );
  const aside =
    inactive > 0 ? (
      <StateLabel tone="bad" text={`${countOf(inactive)} inactive`} />
    ) : (
      <StateLabel tone="warn" text={countOf(webhooks.length)} />
    );
  const countsOf = (id: string | undefined): string => {
    const near = nearDeactivation.find((one) => one.id === id);
    return near === undefined
      ? ''
      : `${near.failures} ${near.failures === 1 ? 'failure' : 'failures'} (limit ${near.allowed})`;
  };
  return (
    <Panel title="Failing webhooks" aside={aside} isFlush>
      <Table>
        <Table.Tbody>
          {inactive > 0 && <Inactive count={inactive} />}
          {webhooks.map(({ subject: { id = '', name, service } }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Link href={webhookLink(service === '' ? SYSTEM : (service ?? ''), id)} className="link">
                  {name}
                </Link>
                <div className="muted">
                  {service === '' ? SYSTEM : service} {countsOf(id)}
                </div>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
