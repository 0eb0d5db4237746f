import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHelper } from './helper.ts';
import type { Place } from './places.ts';

export type AboutBacklog =
  | {
      readonly kind: 'fill';
      readonly place: Place;
      readonly isNew: boolean;
      readonly origins: readonly string[];
      readonly events: number;
    }
  | { readonly kind: 'claim'; readonly place: Place; readonly times: number; readonly atOnce: number };

export interface Backlog {
  /** A webhook for each origin, and as many events for each. */
  fill(place: Place, origins: readonly string[], events: number): Promise<void>;
  /** More events for the webhooks that are there. */
  add(place: Place, origins: readonly string[], events: number): Promise<void>;
  /** How long claims of so many deliveries take, in ms each. */
  claim(place: Place, times: number, atOnce: number): Promise<readonly number[]>;
  end(): void;
}

export function startBacklog(project: string): Backlog {
  const helper = startHelper<AboutBacklog, readonly number[]>(
    fileURLToPath(import.meta.resolve('./backlogging.js')),
    join(project, 'dist'),
  );
  return {
    fill: async (place, origins, events) =>
      void (await helper.ask({ kind: 'fill', place, isNew: true, origins, events })),
    add: async (place, origins, events) =>
      void (await helper.ask({ kind: 'fill', place, isNew: false, origins, events })),
    claim: (place, times, atOnce) => helper.ask({ kind: 'claim', place, times, atOnce }),
    end: helper.end,
  };
}
