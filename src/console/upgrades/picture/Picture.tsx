// The deployment as a picture: the database pair, then a lane for each component in the order of the waves, with a tile for each
// workload that fills as its replicas are replaced. A job that passes the point of no return has a line across it.
import { useDeferredValue, useState } from 'react';
import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { useGradualCount } from '../../parts/layout/useGradualCount.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import type { DeploymentState, DeployedWorkload, Job } from '../answers.ts';
import { NoReturn } from '../parts/NoReturn.tsx';
import { moveFocus } from './arrowKeys.ts';
import { DatabasePair } from './DatabasePair.tsx';
import { Lane } from './Lane.tsx';
import { lineOfNoReturn } from './lineOfNoReturn.ts';
import { TILE_STATES, countStates } from './tileState.ts';

const [SOON_MS, LATER_MS] = [1000, 3000];

interface Component {
  readonly name: string;
  readonly workloads: readonly DeployedWorkload[];
  /** How many workloads the components before it have. */
  readonly before: number;
}

function componentName({ isSteward, component }: DeployedWorkload): string {
  return isSteward ? 'Steward' : component;
}

function componentsOf(workloads: readonly DeployedWorkload[]): readonly Component[] {
  const sorted = workloads.toSorted((a, b) => a.wave - b.wave);
  let before = 0;
  return [...new Set(sorted.map(componentName))].map((name) => {
    const component = { name, workloads: sorted.filter((one) => componentName(one) === name), before };
    before += component.workloads.length;
    return component;
  });
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
const TILES_IN_A_FRAME = 30;

function Lanes({ state, job, isBusy }: LanesProps) {
  // Hundreds of tiles are rendered in small pieces, so that the page stays responsive.
  const workloads = useDeferredValue(state.workloads, NONE);
  const line = lineOfNoReturn(job);
  const drawn = useGradualCount(workloads.length, TILES_IN_A_FRAME);
  const components = componentsOf(workloads);
  const [focused, setFocused] = useState<string>();
  const stop = workloads.some(({ workload }) => workload === focused) ? focused : components[0]?.workloads[0]?.workload;
  return (
    <div
      className="lanes"
      data-busy={isBusy}
      onKeyDown={moveFocus}
      onFocus={({ target }) => setFocused((before) => target.dataset['workload'] ?? before)}
    >
      {state.database !== null && <DatabasePair database={state.database} isBusy={isBusy} />}
      {line?.place === 'before' && <Line isPassed={line.isPassed} />}
      {components.map(({ name, workloads: its, before }) => (
        <Lane key={name} name={name} workloads={its} stop={stop} drawn={drawn - before} isBusy={isBusy} />
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
  const state = useResource(api.system.deployment, { everyMs: isBusy ? SOON_MS : LATER_MS });
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
