import { SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { api } from '../api/operations.ts';
import { useResource } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Meter } from '../parts/charts/Meter.tsx';
import { MinuteBars } from '../parts/charts/MinuteBars.tsx';
import { PageHead } from '../parts/layout/PageHead.tsx';
import { Panel } from '../parts/layout/Panel.tsx';
import { Resource } from '../parts/layout/Resource.tsx';
import { duration } from '../parts/text/Time.tsx';
import { AttentionPanel } from './AttentionPanel.tsx';
import { DriftPanel } from './DriftPanel.tsx';
import { FailingPanel } from './FailingPanel.tsx';
import { JobPanel } from './JobPanel.tsx';
import { StateTiles } from './StateTiles.tsx';
import type { Overview } from './answers.ts';

const LOOK_EVERY_MS = 5000;

function Deliveries({ overview }: { readonly overview: Overview }) {
  const { deliveries, perMinute, oldestDueSeconds } = overview;
  const { delivered, pending, held, failed, discarded } = deliveries;
  const wait = oldestDueSeconds > 0 ? `The oldest due delivery has waited ${duration(oldestDueSeconds * 1000)}.` : '';
  return (
    <Panel
      title="Deliveries"
      aside={
        <Link href="/webhooks" className="link">
          {deliveries.webhooks} {deliveries.webhooks === 1 ? 'webhook' : 'webhooks'}
          {deliveries.inactive > 0 && `, ${deliveries.inactive} inactive`}
        </Link>
      }
    >
      <Stack gap="md">
        <div>
          <MinuteBars minutes={perMinute} />
          <Text size="xs" className="muted">
            Deliveries that ended in each of the last 60 minutes. {wait}
          </Text>
        </div>
        <Meter
          parts={[
            { name: 'Delivered', count: delivered, tone: 'good' },
            { name: 'Pending', count: pending, tone: 'busy' },
            { name: 'Held', count: held, tone: 'warn' },
            { name: 'Failed', count: failed, tone: 'bad' },
            { name: 'Discarded', count: discarded, tone: 'calm' },
          ]}
        />
      </Stack>
    </Panel>
  );
}

function Everything() {
  const overview = useResource(api.system.overview, { everyMs: LOOK_EVERY_MS });
  return (
    <Resource of={overview} lines={12}>
      {(found) => (
        <Stack gap="md">
          <StateTiles overview={found} />
          <AttentionPanel overview={found} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Stack gap="md">
              <Deliveries overview={found} />
              <FailingPanel overview={found} />
            </Stack>
            <Stack gap="md">
              <JobPanel job={found.job} />
              <DriftPanel overview={found} />
            </Stack>
          </SimpleGrid>
        </Stack>
      )}
    </Resource>
  );
}

/** For users who may not see the system: where to go. */
function Welcome() {
  const mayPublish = useMay('publisher');
  return (
    <Panel title="Start here">
      <Stack gap="xs">
        <Link href="/catalog" className="link">
          {mayPublish
            ? 'Publish a service, or find one and its addresses'
            : 'Find a service in the catalog, and its addresses'}
        </Link>
        {mayPublish && (
          <Link href="/webhooks" className="link">
            See webhooks and their deliveries
          </Link>
        )}
        <Link href="/password" className="link">
          Change your password
        </Link>
      </Stack>
    </Panel>
  );
}

export function OverviewPage() {
  const isAdministrator = useMay('administrator');
  return (
    <>
      <PageHead title="Overview" />
      {isAdministrator ? <Everything /> : <Welcome />}
    </>
  );
}
