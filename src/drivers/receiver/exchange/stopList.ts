export interface StopList {
  /** Adds a function and returns its place, which `remove` needs. */
  add(stop: () => void): number;
  remove(place: number): void;
  /** Calls every function. Each may remove itself while the others are called. */
  stopAll(): void;
}

/**
 * The functions that stop what is under way. Not a Set: a Set replaces its table every so often, and the objects that the old
 * table refers to survive minor garbage collections, which cost 10 µs per attempt.
 */
export function createStopList(): StopList {
  const stops: ((() => void) | undefined)[] = [];
  const freePlaces: number[] = [];
  return {
    add(stop) {
      const place = freePlaces.pop() ?? stops.length;
      stops[place] = stop;
      return place;
    },
    remove(place) {
      stops[place] = undefined;
      freePlaces.push(place);
    },
    stopAll() {
      for (const stop of stops) stop?.();
    },
  };
}
