import type { Version } from '../../model/version.ts';
import type { Image } from '../../model/workload.ts';
import type { RolloutId, Update } from './plan.ts';

export interface PreviousImages {
  readonly workload: string;
  readonly images: readonly Image[];
}

/** One version that the job installs. A rollback has one target without a version: the previous images. */
export interface Target {
  readonly update: Update;
  readonly version: Version | undefined;
  /** A later version whose images are installed in place of this one's, because this one's failed. */
  readonly replacedBy: Version | undefined;
  readonly previousImages: readonly PreviousImages[];
  /** Of a rollback: the job whose changes of objects it takes back, and of which step if not of all; undefined if that has changed none. */
  readonly undoes?: { readonly job: string; readonly step: RolloutId | undefined } | undefined;
}
