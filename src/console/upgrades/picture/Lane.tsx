import { memo } from 'react';
import { Icon } from '../../parts/text/Icon.tsx';
import type { DeployedWorkload } from '../answers.ts';
import type { TileState } from './tileState.ts';
import { TILE_STATES, tileState } from './tileState.ts';

type Rollout = NonNullable<DeployedWorkload['rollout']>;

/** More replicas than these have no marks; the fill of the tile shows their share. */
const MOST_MARKS = 12;

/** How much of the tile is filled. */
function shareOf({ rollout }: DeployedWorkload, state: TileState): number {
  if (state !== 'updating') return 1;
  return rollout === null || rollout.total === 0 ? 0 : rollout.done / rollout.total;
}

function textOf(workload: DeployedWorkload, state: TileState): string {
  const { rollout, trouble, images } = workload;
  const progress = rollout === null ? '' : `${rollout.done} of ${rollout.total} replicas run the requested image. `;
  const names = images.map(({ container, image }) => `${container}: ${image}`).join('\n');
  return `${TILE_STATES[state].text}. ${progress}${trouble ?? ''}\n${names}`;
}

function Replicas({ rollout: { done, total } }: { readonly rollout: Rollout }) {
  return (
    <>
      <span className="count" aria-hidden="true">
        {done}/{total}
      </span>
      {total <= MOST_MARKS && (
        <span className="replicas" aria-hidden="true">
          {Array.from({ length: total }, (_, n) => (
            <i key={n} data-done={n < done} />
          ))}
        </span>
      )}
    </>
  );
}

interface TileProps {
  readonly workload: DeployedWorkload;
  /** An empty tile takes the same room. */
  readonly isDrawn: boolean;
  /** Whether the Tab key stops at it. */
  readonly isStop: boolean;
}

/** An answer shares the unchanged workloads with the one before it, so that only tiles that change are drawn again. */
const Tile = memo(function Tile({ workload, isDrawn, isStop }: TileProps) {
  if (!isDrawn) return <li className="workload" />;
  const state = tileState(workload);
  const [kind = '', name = kind] = workload.workload.split('/');
  return (
    <li
      className="workload"
      data-state={state}
      data-workload={workload.workload}
      data-hint={textOf(workload, state)}
      tabIndex={isStop ? 0 : -1}
    >
      {(state === 'updating' || state === 'next') && (
        <span className="fill" style={{ transform: `scaleX(${shareOf(workload, state)})` }} aria-hidden="true" />
      )}
      <Icon name={TILE_STATES[state].icon} size={12} />
      <span className="name">{name}</span>
      <span className="hidden">{TILE_STATES[state].text}</span>
      {workload.rollout !== null && <Replicas rollout={workload.rollout} />}
    </li>
  );
});

export interface LaneProps {
  readonly name: string;
  readonly workloads: readonly DeployedWorkload[];
  /** The workload whose tile has the focus, or gets it with the Tab key. */
  readonly stop: string | undefined;
  /** How many of the tiles are drawn. */
  readonly drawn: number;
  /** Whether to count the workloads that are updated. */
  readonly isBusy: boolean;
}

/** A component with its workloads. */
export function Lane({ name, workloads, stop, drawn, isBusy }: LaneProps) {
  const updated = workloads.filter((one) => tileState(one) === 'next').length;
  return (
    <section className="lane" aria-label={name}>
      <div className="laneHead">
        <h3>{name}</h3>
        <span>{isBusy ? `${updated} of ${workloads.length}` : `${workloads.length} workloads`}</span>
      </div>
      <ul>
        {workloads.map((one, n) => (
          <Tile key={one.workload} workload={one} isDrawn={n < drawn} isStop={one.workload === stop} />
        ))}
      </ul>
    </section>
  );
}
