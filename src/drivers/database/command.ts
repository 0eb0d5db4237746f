// What SQL cannot do to a server: stop and start it, replace its programs, copy its data. An executable of the administrator does
// it. docs/database.md describes the verbs, and deploy/database-command.sh is an example.
import { spawn } from 'node:child_process';
import { lastLines } from './lastLines.ts';

/** Each is idempotent: it may be run again at any time, also while an earlier run of it has not ended. */
export type Verb =
  /** Prints labels, whether it is closed, and its fence, as `key=value` lines. */
  | 'describe'
  /** Prints the last lines of the log of the server. Earlier commands do not know it. */
  | 'log'
  /** Lets only Steward and replication connect. */
  | 'close'
  /** Lets everyone connect again. */
  | 'open'
  /** Stops a primary and starts it as a standby of no one: it can be read, and nothing can write to it. */
  | 'demote'
  /** Stops a primary, replaces its programs by those of a version, and starts it. */
  | 'engine'
  /** Announces a new primary to clients that do not find it by themselves. */
  | 'announce'
  /** Makes a server a standby of another one. */
  | 'follow'
  /** The same from a new copy of the data. */
  | 'reseed';

export interface CommandCall {
  readonly verb: Verb;
  readonly instance: string;
  /** The primary to follow, or the version to install. */
  readonly argument?: string;
  /** The number of the command; 0 if it changes nothing. The command refuses one that is lower than the last. */
  readonly fence: number;
}

/** The command ended with an error. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[]) {
    super(message);
    this.lines = lines;
  }
}

/** The signal ends the wait for the command, not the command. */
export type RunCommand = (call: CommandCall, signal?: AbortSignal) => Promise<readonly string[]>;

/**
 * Creates the function that runs the command. The command has its own process group and is not ended with Steward: half of a stop
 * and start is worse than a whole one, and the command of the next holder waits for it by its lock.
 */
export function createCommand(path: string): RunCommand {
  return ({ verb, instance, argument, fence }, signal) =>
    new Promise((resolve, reject) => {
      const output = lastLines();
      const args = [verb, instance, ...(argument === undefined ? [] : [argument])];
      const env = { ...process.env, STEWARD_DATABASE_FENCE: String(fence) };
      const child = spawn(path, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      const stop = (): void => reject(new Error('the call was stopped'));
      signal?.addEventListener('abort', stop, { once: true });
      child.stdout.setEncoding('utf8').on('data', output.add);
      child.stderr.setEncoding('utf8').on('data', output.add);
      child.once('error', reject);
      child.once('close', (status, killedBy) => {
        signal?.removeEventListener('abort', stop);
        if (status === 0) return resolve(output.lines());
        const how = status === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with the exit code ${status}`;
        const lines = output.lines();
        const last = lines.length === 0 ? '' : `: ${lines.at(-1)}`;
        reject(new CommandFailure(`the command \`${args.join(' ')}\` ${how}${last}`, lines));
      });
    });
}
