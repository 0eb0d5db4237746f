// What a phase works with, and the only way in which it sends commands.
import type { Clock } from '../../../foundation/clock.ts';
import { DeploymentRefusal } from '../../../model/failure.ts';
import type { CommandCall, RunCommand } from '../command.ts';
import type { InstanceAddress } from '../instance.ts';
import type { Servers } from '../servers.ts';

export interface PhaseContext {
  readonly former: InstanceAddress;
  readonly next: InstanceAddress;
  /** The version that the job installs; empty in `restore`. */
  readonly version: string;
  /** In `restore`: whether `next` may have become a primary. */
  readonly wasPromoted: boolean;
  /** A number for a command or a promotion, higher than all before. Throws `Overtaken` if this process has begun another run. */
  readonly nextNumber: () => number;
  readonly servers: Servers;
  readonly runCommand: RunCommand;
  readonly clock: Clock;
  /** Throws `Overtaken` if another holder has taken over, or this process has begun another run. */
  readonly stillHolds: () => Promise<void>;
  /** Says what the phase does at this time. */
  readonly say: (detail: string) => void;
}

/** Another holder, or another run of this one, has taken the place of a run. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** A phase cannot go on, and a person must do something. */
export function refusal(reason: string, advice: string): DeploymentRefusal {
  return new DeploymentRefusal({ reason, lines: [], advice });
}

/** Runs a command, unless another holder has taken over. A command that arrives after a later one is refused by its number. */
export async function command(context: PhaseContext, call: Omit<CommandCall, 'fence'>): Promise<void> {
  await context.stillHolds();
  await context.runCommand({ ...call, fence: context.nextNumber() });
}
