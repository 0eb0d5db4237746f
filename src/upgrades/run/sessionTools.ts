import type { Clock } from '../../foundation/clock.ts';
import type { JournalWriter } from './journalWriter.ts';
import type { Deployment } from '../ports/deployment.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';
import type { Control } from './control.ts';
import type { Performer } from './calls/performer.ts';

/** What the parts of a session work with. */
export interface SessionTools {
  readonly deployment: Deployment;
  readonly store: UpgradeStore;
  readonly writer: JournalWriter;
  readonly performer: Performer;
  readonly control: Control;
  readonly clock: Clock;
  readonly fence: number;
  /** How many workloads are updated at a time. */
  readonly parallel: number;
  /** How long one step may take. */
  readonly deadlineMs: number;
  /** The content of an uploaded licence; undefined if it is not the one with this hash. */
  readonly licence: (upload: string, hash: string | undefined) => Promise<string | undefined>;
  /** Aborts when the server stops or the lease is lost. */
  readonly signal: AbortSignal;
}
