// The deployment as a picture: the database pair, then a lane for each component in the order of the waves, with a tile for each
// workload that fills as its replicas are replaced. A job that passes the point of no return has a line across it.
import { useDeferredValue } from 'react';
import { useResource } from '../../api/queries.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../parts/text/ServerText.tsx';
import type { DeploymentState, DeployedWorkload, Job } from '../answers.ts';
import { NoReturn } from '../parts/NoReturn.tsx';
import { DatabasePair } from './DatabasePair.tsx';
import { Lane } from './Lane.tsx';
import { lineOfNoReturn } from './lineOfNoReturn.ts';
import { TILE_STATES, countStates } from './tileState.ts';

const [SOON_MS, LATER_MS] = [1000, 3000];

function componentsOf(workloads: readonly DeployedWorkload[]): readonly (readonly [string, DeployedWorkload[]])[] {
  const components = new Map<string, DeployedWorkload[]>();
  for (const one of workloads.toSorted((a, b) => a.wave - b.wave)) {
    const name = one.isSteward ? 'Steward' : one.component;
    components.set(name, [...(components.get(name) ?? []), one]);
  }
  return [...components];
}

function Line({ isPassed }: { readonly isPassed: boolean }) {
  return (
    <div className="noReturn">
      <NoReturn text={isPassed ? 'passed' : 'ahead'} />
    </div>
  );
}

/** Why workloads are unhealthy; a tile has no room for it. */
function Troubles({ workloads }: { readonly workloads: readonly DeployedWorkload[] }) {
  const troubled = workloads.filter(({ trouble }) => trouble !== null);
  if (troubled.length === 0) return undefined;
  return (
    <ul className="troubles">
      {troubled.map(({ workload, trouble }) => (
        <li key={workload}>
          <strong>{workload}</strong>: <ServerText text={trouble ?? ''} />
        </li>
      ))}
    </ul>
  );
}

interface LanesProps {
  readonly state: DeploymentState;
  readonly job: Job | undefined;
  readonly isBusy: boolean;
}

const NONE: readonly DeployedWorkload[] = [];

function Lanes({ state, job, isBusy }: LanesProps) {
  // Hundreds of tiles are rendered in small pieces, so that the page stays responsive.
  const workloads = useDeferredValue(state.workloads, NONE);
  const line = lineOfNoReturn(job);
  return (
    <div className="lanes" data-busy={isBusy}>
      {state.database !== null && <DatabasePair database={state.database} />}
      {line?.place === 'before' && <Line isPassed={line.isPassed} />}
      {componentsOf(workloads).map(([component, its]) => (
        <Lane key={component} name={component} workloads={its} isBusy={isBusy} />
      ))}
      {line?.place === 'after' && <Line isPassed={line.isPassed} />}
      <Troubles workloads={workloads} />
    </div>
  );
}

/** How many tiles have which state: the key to their icons. */
function TileCounts({ state, isBusy }: { readonly state: DeploymentState; readonly isBusy: boolean }) {
  return (
    <span className="lanes tileCounts" data-busy={isBusy}>
      {[...countStates(state.workloads)].map(([one, count]) => (
        <span key={one} className="tileCount" data-state={one}>
          <Icon name={TILE_STATES[one].icon} size={12} />
          {count} {TILE_STATES[one].text.toLowerCase()}
        </span>
      ))}
    </span>
  );
}

function Nothing({ isConfigured }: { readonly isConfigured: boolean }) {
  return isConfigured ? (
    <Empty
      title="No workload is selected"
      text="Label the workloads that Steward shall upgrade, as docs/kubernetes.md describes."
    />
  ) : (
    <Empty
      title="No deployment is configured"
      text="Set STEWARD_DEPLOYMENT=kubernetes to upgrade a real deployment, or start with --demo to try it."
    />
  );
}

export interface PictureProps {
  readonly isBusy: boolean;
  /** The job whose page it is. */
  readonly job?: Job | undefined;
}

/** What the deployment runs, live. */
export function Picture({ isBusy, job }: PictureProps) {
  const state = useResource<DeploymentState>('/system/deployment', { everyMs: isBusy ? SOON_MS : LATER_MS });
  return (
    <Panel title="Deployment" aside={state.data && <TileCounts state={state.data} isBusy={isBusy} />}>
      <Resource of={state} lines={16}>
        {(found) =>
          found.workloads.length === 0 ? (
            <Nothing isConfigured={found.configured} />
          ) : (
            <Lanes state={found} job={job} isBusy={isBusy} />
          )
        }
      </Resource>
    </Panel>
  );
}
