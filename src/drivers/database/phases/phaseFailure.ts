// Why a phase failed, with what the logs of the servers say about it: a full disk ends connections, and only the log names it.
import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import { reasonOf } from '../../../foundation/errors.ts';
import { sentence } from '../../../foundation/text/sentence.ts';
import type { Failure } from '../../../model/failure.ts';
import { DeploymentRefusal } from '../../../model/failure.ts';
import type { RunCommand } from '../command.ts';
import { CommandFailure } from '../command.ts';
import type { InstanceAddress } from '../instance.ts';

const LOG_MS = 2 * SECOND;
const MAX_LINES = 5;
const NO_SPACE = /No space left on device/;
/** Other lines may contain data of clients. */
const SERIOUS = /\b(?:PANIC|FATAL): |No space left on device/;
/** What the log says at each start and stop, and about clients that are not admitted. */
const USUAL = /starting up|shutting down|not yet accepting|pg_hba\.conf|due to administrator command|STATEMENT: /;

function ownFailure(error: unknown): Failure {
  if (error instanceof DeploymentRefusal) return error.failure;
  if (error instanceof CommandFailure)
    return {
      reason: `The database could not be changed: ${sentence(error.message)}`,
      lines: error.lines,
      advice: 'Correct what the last lines name, then retry.',
    };
  return {
    reason: `The database could not be changed: ${sentence(reasonOf(error))}`,
    lines: [],
    advice: 'Repair it, then retry.',
  };
}

/** The serious ones of the last lines of a server's log. A command that has no verb `log` is left alone. */
async function logOf({ name }: InstanceAddress, runCommand: RunCommand, clock: Clock): Promise<readonly string[]> {
  const over = new AbortController();
  const late = clock.sleep(LOG_MS, over.signal).then((): readonly string[] => []);
  const reading = runCommand({ verb: 'log', instance: name, fence: 0 }).catch(() => []);
  const lines = await Promise.race([reading, late]).finally(() => over.abort());
  const serious = lines.filter((line) => SERIOUS.test(line) && !USUAL.test(line));
  // Each look at a server with a full disk adds a line, so that the last lines alone would not name the cause.
  const space = serious.filter((line) => NO_SPACE.test(line)).slice(-1);
  const others = serious.filter((line) => !NO_SPACE.test(line));
  return [...space, ...others.slice(space.length - MAX_LINES)];
}

/** Describes the error of a phase. */
export async function describeFailure(
  cause: unknown,
  instances: readonly InstanceAddress[],
  { runCommand, clock }: { readonly runCommand: RunCommand; readonly clock: Clock },
): Promise<Failure> {
  const { reason, lines, advice } = ownFailure(cause);
  const logs = await Promise.all(
    instances.map(async (instance) => ({ ...instance, lines: await logOf(instance, runCommand, clock) })),
  );
  const full = logs.filter((log) => log.lines.some((line) => NO_SPACE.test(line))).map(({ name }) => name);
  const allLines = [...lines, ...logs.flatMap((log) => log.lines.map((line) => `${log.name}: ${line}`))];
  if (full.length === 0) return { reason, lines: allLines, advice };
  return {
    reason: `${reason} The log of ${full.join(' and ')} says that there is no space left on a disk.`,
    lines: allLines,
    advice: `Free space there. ${advice}`,
  };
}
