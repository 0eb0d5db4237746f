import { Alert, Text } from '@mantine/core';
import { Icon } from '../../parts/text/Icon.tsx';
import { Time, duration } from '../../parts/text/Time.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { NumberedMessage, Outage } from './followedJob.ts';

export interface OutagesProps {
  readonly outages: readonly Outage[];
  readonly messages: readonly NumberedMessage[];
}

/** Says when the server went, when it came back, and where the job went on. */
export function Outages({ outages, messages }: OutagesProps) {
  const last = outages.at(-1);
  if (last === undefined) return undefined;
  // The banner of the console says that the server does not answer.
  if (last.to === undefined)
    return (
      <Text size="sm" className="muted">
        The job is kept in its store and goes on when a server runs. This page connects again by itself.
      </Text>
    );
  const next = messages.find(({ number }) => number > last.after);
  return (
    <Alert color="yellow" icon={<Icon name="info" />} role="status">
      The server did not answer from <Time at={last.from} as="clock" /> to <Time at={last.to} as="clock" /> (
      {duration(last.to - last.from)}). No message is lost.
      {next !== undefined && <ServerText text={` The job went on with message ${next.number}: ${next.message}`} />}
    </Alert>
  );
}
