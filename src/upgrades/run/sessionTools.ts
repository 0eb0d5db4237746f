import type { DraftDependencies } from '../plan/draftPlan.ts';
import type { Control } from './control.ts';
import type { DraftedObjects } from '../plan/objects/draftObjects.ts';
import type { ContentOf } from '../plan/objects/objectTools.ts';
import type { Performer, PerformerOptions } from './calls/performer.ts';

/** What the parts of a session work with. */
export interface SessionTools extends DraftDependencies, Omit<PerformerOptions, 'observer'> {
  readonly performer: Performer;
  readonly control: Control;
  /** The objects that the checks of an attempt have compared, for the plan that is made next. */
  readonly compared: Map<number, DraftedObjects>;
  /** What this job has kept of objects; it is read once. */
  readonly contents: () => Promise<ContentOf>;
  /** The content of an uploaded licence; undefined if it is not the one with this hash. */
  readonly licence: (upload: string, hash: string | undefined) => Promise<string | undefined>;
}
