import { Button, TextInput } from '@mantine/core';
import { memo, useDeferredValue, useState } from 'react';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { useGradualCount } from '../../parts/layout/useGradualCount.ts';
import { Time } from '../../parts/text/Time.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { NumberedMessage } from './followedJob.ts';
import { groupedBySteps, latestFirst } from './groupedBySteps.ts';

/** More are shown on request, so that a long job does not slow the page down. */
const SHOWN = 200;
const LINES_IN_A_FRAME = 50;

const Line = memo(function Line({ message }: { readonly message: NumberedMessage }) {
  return (
    <li className="message">
      <Time at={message.when} as="clock" />
      <code className="muted">{message.code ?? ''}</code>
      <span className="lines">
        <ServerText text={message.message} />
      </span>
    </li>
  );
});

const NONE: readonly NumberedMessage[] = [];

/** The messages of a job, the newest first. */
export function Messages({ messages }: { readonly messages: readonly NumberedMessage[] }) {
  const [search, setSearch] = useState('');
  const [isAll, setAll] = useState(false);
  const wanted = search.trim().toLowerCase();
  // A thousand messages may come at once. They are rendered in small pieces, so that the page stays responsive.
  const found = useDeferredValue(messages, NONE).filter(
    ({ code, message, step }) =>
      wanted === '' || `${code ?? ''} ${message} ${step ?? ''}`.toLowerCase().includes(wanted),
  );
  const limit = isAll ? found.length : Math.min(found.length, SHOWN);
  const drawn = useGradualCount(limit, LINES_IN_A_FRAME);
  return (
    <Panel
      title={`Messages (${messages.length})`}
      aside={
        <TextInput
          aria-label="Search the messages"
          placeholder="Search"
          size="xs"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      }
      isFlush
    >
      {found.length === 0 ? (
        <Empty title="No message" text={wanted === '' ? 'Messages appear as they come.' : 'No message matches.'} />
      ) : (
        <div className="messageList" tabIndex={0} role="group" aria-label="List of messages">
          {latestFirst(groupedBySteps(found), drawn).map(({ step, first, messages: group }) => (
            <div key={first}>
              <h3 className="groupHead">{step}</h3>
              <ol className="messages">
                {group.map((one) => (
                  <Line key={one.number} message={one} />
                ))}
              </ol>
            </div>
          ))}
        </div>
      )}
      {found.length > limit && (
        <Button variant="subtle" m="xs" onClick={() => setAll(true)}>
          Show all {found.length}
        </Button>
      )}
    </Panel>
  );
}
