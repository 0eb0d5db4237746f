// The latest upgrade or rollback, for commands that name no job.
import { valueAt } from '../../foundation/schema/json.ts';
import { at, templateOf } from '../../wire/client/call.ts';
import type { jobOperations } from '../../wire/operations/jobOperations.ts';
import { upgradeOperations } from '../../wire/operations/upgradeOperations.ts';
import { listOf } from '../output/output.ts';
import { lineText, textAt } from '../output/values.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import { callOperation } from '../remote/typedCall.ts';
import type { CommandRun } from './remoteCommand.ts';
import { done } from './views.ts';
import { watchJob } from './watchJob.ts';

function upgradeJobId(status: unknown): string | undefined {
  const id = valueAt(status, 'job', 'id');
  return typeof id === 'string' ? id : undefined;
}

async function latestJob({ connection }: CommandRun) {
  const status = await callOperation(connection, upgradeOperations.status, {});
  const id = upgradeJobId(status);
  const part = (name: string): string => lineText(textAt(status, 'job', name));
  const about = `${part('kind')} from ${part('from')} to ${part('to')}`;
  // The messages of a job are numbered from 1 on.
  if (id !== undefined) return { id, about, messages: listOf(valueAt(status, 'status'), 'messages').length };
  throw new CommandFailure('notFound', 'There was no upgrade yet. steward upgrades available lists the versions.');
}

/** Follows the latest upgrade. */
export async function watchUpgrade(run: CommandRun): Promise<Exit> {
  return watchJob(run, (await latestJob(run)).id);
}

export interface UpgradeControl {
  readonly operation: (typeof jobOperations)['pause' | 'resume' | 'cancel' | 'retry'];
  /** What is said if the job is not followed. */
  readonly done: string;
  /** What a cancellation does, which is asked for first. */
  readonly asks?: string;
  /** The states in which the job should end, if it is followed. */
  readonly endsAs?: readonly string[];
}

/** Calls an operation on the latest upgrade, and follows the job from there on. */
export function controlUpgrade({ operation, done: text, asks, endsAs }: UpgradeControl) {
  return async (run: CommandRun): Promise<Exit> => {
    const { id, about, messages } = await latestJob(run);
    if (asks !== undefined) await run.confirm(`Cancel the ${about}? ${asks}`);
    const path = at(templateOf(operation), { id });
    const answer = await run.connection.call({ method: 'POST', path, fields: run.given.fields });
    const isFollowed = endsAs !== undefined && run.given.extra['detach'] !== true;
    if (!isFollowed || run.flags.quiet === true)
      run.print(done(`${text} Follow it with steward upgrades watch.`, 'jobId'), answer, operation.answer);
    return isFollowed ? watchJob(run, id, { after: messages, good: new Set(endsAs), answer }) : 'done';
  };
}

/** Follows the job of an answer, unless it goes on detached. */
export async function followStarted(run: CommandRun, what: string, answer: unknown): Promise<Exit> {
  const id = upgradeJobId(answer);
  if (run.given.extra['detach'] !== true && id !== undefined) return watchJob(run, id);
  const text = `The ${what} has started as ${id}. Follow it with steward upgrades watch.\n`;
  run.print({ kind: 'text', id: 'job.id', text: () => text }, answer, upgradeOperations.status.answer);
  return 'done';
}

/** Rolls the latest patch back and follows the job. */
export async function rollBack(run: CommandRun): Promise<Exit> {
  return followStarted(run, 'rollback', await run.call());
}
