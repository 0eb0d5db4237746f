import { Button, Group, Select, Table, Text } from '@mantine/core';
import { api } from '../../api/operations.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { SERVER } from '../../api/server.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { Time } from '../../parts/text/Time.tsx';
import type { DemoInbox } from '../answers.ts';
import { boxOf } from './demoBox.ts';
import { numberText } from '../../parts/text/locale.ts';

const READ_EVERY_MS = 2000;
const SHOWN = 10;
const SLOW_SECONDS = 5;

const ANSWERS = [
  { value: '200', label: 'Accept: 200' },
  { value: '500', label: 'Refuse: 500' },
  { value: '503', label: 'Refuse: 503' },
  { value: '410', label: 'Gone: 410' },
  { value: 'slow', label: `Slow: 200 after ${SLOW_SECONDS} s` },
  { value: 'never', label: 'Never answer' },
];

type Arrival = DemoInbox['deliveries'][number];

function AnswerSwitch({ box, inbox }: { readonly box: string; readonly inbox: DemoInbox | undefined }) {
  const behave = useOperation(api.demoReceiver.behave, { done: 'The demo receiver answers this way from now on.' });
  const current = inbox?.behaviour.answer ?? '200';
  const choices = ANSWERS.some(({ value }) => value === current)
    ? ANSWERS
    : [...ANSWERS, { value: current, label: `Status ${current}` }];
  return (
    <Select
      aria-label="How the demo receiver answers"
      size="xs"
      w={180}
      data={choices}
      value={current}
      onChange={(answer) =>
        answer !== null && behave.mutate({ name: box, answer, seconds: answer === 'slow' ? SLOW_SECONDS : undefined })
      }
    />
  );
}

function ArrivalRow({ arrival }: { readonly arrival: Arrival }) {
  const { at, id, type, attempt, verified, problem, repeat, answered } = arrival;
  return (
    <Table.Tr>
      <Table.Td className="eventCell">
        <span className="clip">{type ?? 'Unknown type'}</span>
        <Text size="xs" className="muted mono clip" title={id ?? ''}>
          {id ?? 'no webhook-id'}
        </Text>
      </Table.Td>
      <Table.Td className="number" visibleFrom="sm">
        {attempt ?? ''}
      </Table.Td>
      <Table.Td title={problem ?? undefined}>
        <StateLabel tone={verified ? 'good' : 'bad'} text={verified ? 'Valid' : 'Not valid'} />
        {repeat && (
          <Text size="xs" className="muted">
            repeated
          </Text>
        )}
      </Table.Td>
      <Table.Td className="number">{answered ?? 'none'}</Table.Td>
      <Table.Td visibleFrom="sm">
        <Time at={at} />
      </Table.Td>
    </Table.Tr>
  );
}

function Arrivals({ inbox }: { readonly inbox: DemoInbox }) {
  if (inbox.deliveries.length === 0)
    return (
      <Empty title="The box is empty" text="Send a test, or publish an event. What the receiver gets appears here." />
    );
  return (
    <Table aria-label="Deliveries at the demo receiver">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Event</Table.Th>
          <Table.Th className="number" visibleFrom="sm">
            Attempt
          </Table.Th>
          <Table.Th>Signature</Table.Th>
          <Table.Th className="number">Answered</Table.Th>
          <Table.Th visibleFrom="sm">Arrived</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {inbox.deliveries.slice(0, SHOWN).map((arrival) => (
          <ArrivalRow key={`${arrival.at} ${arrival.id} ${arrival.attempt}`} arrival={arrival} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Box({ box }: { readonly box: string }) {
  const inbox = useResource(api.demoReceiver.inbox, { fields: { name: box }, everyMs: READ_EVERY_MS });
  const clear = useOperation(api.demoReceiver.clear);
  return (
    <Panel title="Demo receiver" isFlush aside={<AnswerSwitch box={box} inbox={inbox.data} />}>
      <Resource of={inbox} lines={5}>
        {(found) => (
          <>
            <Arrivals inbox={found} />
            <Group justify="space-between" className="pager">
              <Text size="sm" className="muted tabular">
                {numberText(found.received)} received, {numberText(found.verified)} with a valid signature,{' '}
                {numberText(found.repeats)} repeated
              </Text>
              <Button
                variant="default"
                onClick={() => clear.mutate({ name: box })}
                loading={clear.isPending}
                disabled={found.received === 0}
              >
                Clear
              </Button>
            </Group>
          </>
        )}
      </Resource>
    </Panel>
  );
}

/** In a demo: what the demo receiver got from this webhook, and how it answers. */
export function InboxPanel({ hookUrl }: { readonly hookUrl: string }) {
  const receiver = useResource(api.demoReceiver.receiver, { isEnabled: SERVER.isDemo });
  const box = receiver.data && boxOf(hookUrl, receiver.data.url);
  return box === undefined ? undefined : <Box box={box} />;
}
