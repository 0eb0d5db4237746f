import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { CurrentVersion } from '../api/answers.ts';
import { useResource } from '../api/queries.ts';
import { StateLabel } from '../parts/text/StateLabel.tsx';
import type { Overview } from './answers.ts';

interface TileProps {
  readonly name: string;
  readonly to: string;
  readonly value: ReactNode;
  readonly note: string;
}

function Tile({ name, to, value, note }: TileProps) {
  return (
    <Link href={to} className="panel tile plain">
      <span className="muted">{name}</span>
      <span className="value">{value}</span>
      <span className="muted note">{note}</span>
    </Link>
  );
}

const ACTIVE: ReadonlySet<string> = new Set(['in_progress', 'paused', 'rolling_back']);

/** Child resources of `upgrades` are closed while a job runs, so the version is read only between jobs. */
function VersionTile({ overview }: { readonly overview: Overview }) {
  const { job } = overview;
  const isRunning = job !== null && ACTIVE.has(job.state);
  const current = useResource<CurrentVersion>('/system/upgrades/currentVersion', { isEnabled: !isRunning });
  const version = isRunning ? `${job.from} → ${job.to}` : (current.data?.fullVersion ?? '…');
  const note = current.data?.simulated === true ? 'simulated deployment' : `Steward ${overview.version}`;
  return <Tile name="Deployment" to="/upgrades" value={version} note={note} />;
}

export function StateTiles({ overview }: { readonly overview: Overview }) {
  const { mode, obstacles, services } = overview;
  const [obstacle] = obstacles;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
      <VersionTile overview={overview} />
      <Tile
        name="Mode"
        to="/upgrades"
        value={
          mode.isReadOnly ? (
            <StateLabel tone="warn" icon="lock" text="Read-only" />
          ) : (
            <StateLabel tone="good" text="Open for writes" />
          )
        }
        note={mode.isReadOnly ? mode.message : 'changes are accepted'}
      />
      <Tile
        name="Health"
        to="/audit"
        value={
          obstacle === undefined ? <StateLabel tone="good" text="Ready" /> : <StateLabel tone="bad" text="Not ready" />
        }
        note={obstacle ?? 'this replica serves requests'}
      />
      <Tile name="Catalog" to="/catalog" value={services.toLocaleString()} note="published services" />
    </SimpleGrid>
  );
}
