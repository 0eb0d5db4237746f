import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api/operations.ts';
import { useResource } from '../api/queries.ts';
import { SERVER } from '../api/server.ts';
import { StateLabel } from '../parts/text/StateLabel.tsx';
import { ServerText } from '../api/ServerText.tsx';
import { isActive } from '../upgrades/parts/jobState.ts';
import type { Overview } from './answers.ts';
import { numberText } from '../parts/text/locale.ts';

interface TileProps {
  readonly name: string;
  readonly to: string;
  /** Whether `to` is not a page of the console. */
  readonly isOutside?: boolean;
  readonly value: ReactNode;
  readonly note: ReactNode;
}

function Tile({ name, to, isOutside = false, value, note }: TileProps) {
  const content = (
    <>
      <span className="muted">{name}</span>
      <span className="value">{value}</span>
      <span className="muted note">{note}</span>
    </>
  );
  return isOutside ? (
    <a href={to} target="_blank" rel="noreferrer" className="panel tile plain">
      {content}
    </a>
  ) : (
    <Link href={to} className="panel tile plain">
      {content}
    </Link>
  );
}

const ABOUT_DEPLOYMENT: ReadonlySet<string> = new Set(['job', 'workload', 'deployment', 'database']);

/** Child resources of `upgrades` are closed while a job runs, so the version is read only between jobs. */
function VersionTile({ overview }: { readonly overview: Overview }) {
  const { job } = overview;
  const isRunning = job !== null && isActive(job.state);
  const current = useResource(api.upgrades.currentVersion, { isEnabled: !isRunning });
  const version = isRunning ? `${job.from} → ${job.to}` : (current.data?.fullVersion ?? '…');
  const isUnwell = overview.attention.some(
    ({ severity, subject: { kind } }) => severity !== 'notice' && ABOUT_DEPLOYMENT.has(kind),
  );
  const note = current.data?.simulated === true ? 'simulated deployment' : `Steward ${overview.version}`;
  const shown = isUnwell ? <StateLabel tone="warn" text={version} /> : version;
  return <Tile name="Deployment" to="/upgrades" value={shown} note={isUnwell ? 'needs attention' : note} />;
}

export function StateTiles({ overview }: { readonly overview: Overview }) {
  const { mode, obstacles, services } = overview;
  const isReady = obstacles.length === 0;
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
        note={mode.isReadOnly ? <ServerText text={mode.message} /> : 'changes are accepted'}
      />
      <Tile
        name="Health"
        to={`${SERVER.prefix}/readyz`}
        isOutside
        value={isReady ? <StateLabel tone="good" text="Ready" /> : <StateLabel tone="bad" text="Not ready" />}
        note={isReady ? 'this replica serves requests' : <ServerText text={obstacles.join(' ')} />}
      />
      <Tile name="Catalog" to="/catalog" value={numberText(services)} note="published services" />
    </SimpleGrid>
  );
}
