// The tiles of the deployment are one stop of the Tab key; arrow keys go from tile to tile, Home and End to the first and the last one.
import type { KeyboardEvent } from 'react';

const TILES = '.workload[data-state]';

/** The tile above or below: of the nearest row in this direction, the one that is nearest sideways. */
function beyond(tiles: readonly HTMLElement[], from: HTMLElement, direction: 1 | -1): HTMLElement | undefined {
  const { top, left } = from.getBoundingClientRect();
  const places = tiles.map((tile) => ({ tile, at: tile.getBoundingClientRect() }));
  const rows = places.filter(({ at }) => (at.top - top) * direction > 1);
  const row = Math.min(...rows.map(({ at }) => Math.abs(at.top - top)));
  return rows
    .filter(({ at }) => Math.abs(at.top - top) <= row + 1)
    .toSorted((one, other) => Math.abs(one.at.left - left) - Math.abs(other.at.left - left))[0]?.tile;
}

function targetOf(key: string, tiles: readonly HTMLElement[], from: HTMLElement): HTMLElement | undefined {
  const index = tiles.indexOf(from);
  switch (key) {
    case 'ArrowRight':
      return tiles[index + 1];
    case 'ArrowLeft':
      return tiles[index - 1];
    case 'ArrowDown':
      return beyond(tiles, from, 1);
    case 'ArrowUp':
      return beyond(tiles, from, -1);
    case 'Home':
      return tiles[0];
    case 'End':
      return tiles.at(-1);
    default:
      return undefined;
  }
}

/** Moves the focus from tile to tile. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event;
  if (!(target instanceof HTMLElement) || !target.matches(TILES)) return;
  const next = targetOf(key, [...currentTarget.querySelectorAll<HTMLElement>(TILES)], target);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
