import type { DraftDependencies } from '../plan/draftPlan.ts';
import type { Control } from './control.ts';
import type { Performer, PerformerOptions } from './calls/performer.ts';

/** What the parts of a session work with. */
export interface SessionTools extends DraftDependencies, Omit<PerformerOptions, 'observer'> {
  readonly performer: Performer;
  readonly control: Control;
  /** The content of an uploaded licence; undefined if it is not the one with this hash. */
  readonly licence: (upload: string, hash: string | undefined) => Promise<string | undefined>;
}
