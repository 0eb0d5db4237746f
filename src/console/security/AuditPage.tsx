import { Button, Group, Text } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { Empty } from '../parts/layout/Empty.tsx';
import { PageHead } from '../parts/layout/PageHead.tsx';
import { serverNow } from '../api/serverClock.ts';
import { Problem } from '../parts/layout/Problem.tsx';
import { Resource } from '../parts/layout/Resource.tsx';
import { useAddressText } from '../parts/form/addressFields.ts';
import { Icon } from '../parts/text/Icon.tsx';
import { Time } from '../parts/text/Time.tsx';
import { AuditFilters, useAuditFilters } from './audit/AuditFilters.tsx';
import { AuditTable } from './audit/AuditTable.tsx';
import { matchingEntries } from './audit/auditSearch.ts';
import { useAuditLog } from './audit/useAuditLog.ts';
import './security.css';
import { numberText } from '../parts/text/locale.ts';

const SHOWN_AT_FIRST = 100;

interface FooterProps {
  readonly log: ReturnType<typeof useAuditLog>;
  readonly found: number;
  readonly shown: number;
  readonly onMore: () => void;
}

function Footer({ log, found, shown, onMore }: FooterProps) {
  const oldest = log.entries.at(-1)?.when;
  return (
    <Group justify="space-between" px="md" py="sm">
      <Text size="sm" className="muted">
        {numberText(found)} of {numberText(log.entries.length)} loaded entries match
        {oldest !== undefined && log.hasNextPage && (
          <>
            ; loaded back to <Time at={oldest} as="exact" />
          </>
        )}
        .
      </Text>
      <Group gap="xs">
        {found > shown && (
          <Button variant="default" onClick={onMore}>
            Show more
          </Button>
        )}
        {log.hasNextPage && (
          <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Load older entries
          </Button>
        )}
      </Group>
    </Group>
  );
}

interface FoundProps {
  readonly log: ReturnType<typeof useAuditLog>;
  readonly search: string;
  readonly now: number;
  readonly onTarget: (target: string) => void;
}

function Found({ log, search, now, onTarget }: FoundProps) {
  const [count, setCount] = useState(SHOWN_AT_FIRST);
  const found = useMemo(() => matchingEntries(log.entries, search), [log.entries, search]);
  return (
    <section className="panel" aria-label="Changes">
      {found.length === 0 ? (
        <Empty
          title="No entry matches"
          text={`${log.hasNextPage ? 'Load older entries, or use' : 'Use'} other words, another user or another period. The target and the user are compared as a whole.`}
        />
      ) : (
        <AuditTable entries={found.slice(0, count)} now={now} onTarget={onTarget} />
      )}
      {log.error !== null && <Problem error={log.error} retry={log.fetchNextPage} />}
      <Footer log={log} found={found.length} shown={count} onMore={() => setCount(count + SHOWN_AT_FIRST)} />
    </section>
  );
}

export function AuditPage() {
  const [now] = useState(serverNow);
  const filters = useAuditFilters(now);
  const words = useAddressText('q');
  const search = useDeferredValue(words.text);
  const log = useAuditLog(filters.fields);
  return (
    <>
      <PageHead
        title="Audit log"
        actions={
          <Button
            variant="default"
            leftSection={<Icon name="repeat" size={14} />}
            loading={log.isRefetching}
            onClick={() => void log.refetch()}
          >
            Refresh
          </Button>
        }
      />
      <AuditFilters filters={filters} words={words} entries={log.entries} />
      <Resource of={log} lines={12}>
        {() => (
          <Found
            key={JSON.stringify(filters.fields)}
            log={log}
            search={search}
            now={now}
            onTarget={filters.setTarget}
          />
        )}
      </Resource>
    </>
  );
}
