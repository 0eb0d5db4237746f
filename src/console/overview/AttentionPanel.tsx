import { Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Tone } from '../parts/text/tone.ts';
import { jobLink, webhookLink } from '../links.ts';
import { NextActions } from '../actions/NextActions.tsx';
import { Panel } from '../parts/layout/Panel.tsx';
import { ServerText } from '../api/ServerText.tsx';
import { StateLabel } from '../parts/text/StateLabel.tsx';
import { Time } from '../parts/text/Time.tsx';
import type { AttentionItem, Overview } from './answers.ts';

const SEVERITIES: Readonly<Record<AttentionItem['severity'], { readonly tone: Tone; readonly text: string }>> = {
  critical: { tone: 'bad', text: 'Critical' },
  warning: { tone: 'warn', text: 'Warning' },
  notice: { tone: 'calm', text: 'Notice' },
};

/** The page of what an item is about. */
function SubjectLink({ subject, job }: AttentionItem) {
  const { kind, id, name, service = '' } = subject;
  const to = kind === 'webhook' && id !== undefined ? webhookLink(service === '' ? 'system' : service, id) : undefined;
  if (to === undefined && job === null) return undefined;
  return (
    <Link href={to ?? jobLink(job ?? '')} className="link">
      {to === undefined ? 'See the job' : name}
    </Link>
  );
}

function Item({ item }: { readonly item: AttentionItem }) {
  return (
    <li>
      <StateLabel {...SEVERITIES[item.severity]} />
      <Stack gap={4}>
        <Text size="sm">
          <ServerText text={item.cause} />
        </Text>
        <Text size="xs" className="muted">
          {item.since !== null && (
            <>
              Since <Time at={item.since} />.{' '}
            </>
          )}
          <SubjectLink {...item} />
        </Text>
        <NextActions of={item} />
      </Stack>
    </li>
  );
}

/** What needs a person, as the server lists it, the most severe first. */
export function AttentionPanel({ overview: { attention, attentionMore } }: { readonly overview: Overview }) {
  const count = attention.length + attentionMore;
  if (count === 0)
    return (
      <Panel title="Needs attention" aside={<StateLabel tone="good" text="Nothing" />}>
        <Text size="sm" className="muted">
          Deployment, database, upgrades and webhooks are well.
        </Text>
      </Panel>
    );
  const { tone } = SEVERITIES[attention[0]?.severity ?? 'notice'];
  return (
    <Panel title="Needs attention" aside={<StateLabel tone={tone} text={count === 1 ? '1 item' : `${count} items`} />}>
      <ul className="attention">
        {attention.map((item) => (
          <Item key={`${item.kind} ${item.subject.id ?? item.subject.name} ${item.cause}`} item={item} />
        ))}
      </ul>
      {attentionMore > 0 && <Text size="sm">and {attentionMore.toLocaleString()} more</Text>}
    </Panel>
  );
}
