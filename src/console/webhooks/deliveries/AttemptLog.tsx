import { Group, Text } from '@mantine/core';
import { Facts } from '../../parts/layout/Facts.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { Time, duration } from '../../parts/text/Time.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { Attempt } from '../answers.ts';
import { answerText } from '../health.ts';

/** The answer of a receiver is text of others. It is shown as text, with its markup. */
function Answer({ text }: { readonly text: string }) {
  if (text === '') return <Text size="sm">Empty</Text>;
  return <pre className="block">{text}</pre>;
}

function AttemptEntry({ attempt, waitMs }: { readonly attempt: Attempt; readonly waitMs: number | undefined }) {
  const isAccepted = attempt.outcome === 'accepted';
  return (
    <li>
      {waitMs !== undefined && (
        <Text size="xs" className="muted" mb="xs">
          Waited {duration(waitMs)}
        </Text>
      )}
      <Group gap="sm" mb="xs">
        <Text fw={600} size="sm">
          Attempt {attempt.attempt}
        </Text>
        <StateLabel tone={isAccepted ? 'good' : 'bad'} text={answerText(attempt)} />
        <Text size="sm" className="muted">
          <Time at={attempt.at} as="exact" /> · took {duration(attempt.durationMs)}
        </Text>
      </Group>
      <Facts
        of={{
          URL: attempt.url === null ? 'Not recorded: an older version made this attempt' : <code>{attempt.url}</code>,
          Reason: attempt.reason === '' ? undefined : <ServerText text={attempt.reason} />,
          Answer: <Answer text={attempt.answer} />,
        }}
      />
    </li>
  );
}

/** The attempts of a delivery, oldest first, with the waits between them. */
export function AttemptLog({ log }: { readonly log: readonly Attempt[] }) {
  return (
    <ol className="attempts">
      {log.map((attempt, n) => {
        const former = log[n - 1];
        const waitMs = former === undefined ? undefined : Math.max(0, attempt.at - former.at - former.durationMs);
        return <AttemptEntry key={`${attempt.attempt} ${attempt.at}`} attempt={attempt} waitMs={waitMs} />;
      })}
    </ol>
  );
}
