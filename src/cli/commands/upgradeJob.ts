// The latest upgrade or rollback, for commands that name no job.
import { valueAt } from '../../foundation/schema/json.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import { upgradeOperations } from '../../wire/operations/upgradeOperations.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import type { CommandRun } from './remoteCommand.ts';
import { done } from './tables/views.ts';
import { watchJob } from './watchJob.ts';

export function upgradeJobId(status: unknown): string | undefined {
  const id = valueAt(status, 'job', 'id');
  return typeof id === 'string' ? id : undefined;
}

async function latestId({ connection }: CommandRun): Promise<string> {
  const status = await connection.call({ method: 'GET', path: upgradeOperations.status.path, fields: {} });
  const id = upgradeJobId(status);
  if (id !== undefined) return id;
  throw new CommandFailure('notFound', 'There was no upgrade yet. steward upgrades available lists the versions.');
}

/** Follows the latest upgrade. */
export async function watchUpgrade(run: CommandRun): Promise<Exit> {
  return watchJob(run, await latestId(run));
}

/** Calls an operation on the latest upgrade. */
export function controlUpgrade(operation: Operation, asks?: string) {
  return async (run: CommandRun): Promise<Exit> => {
    const id = await latestId(run);
    if (asks !== undefined) await run.confirm(asks);
    const path = operation.path.replace('{id}', encodeURIComponent(id));
    const answer = await run.connection.call({ method: 'POST', path, fields: {} });
    run.print(done('Done. Follow it with steward upgrades watch.', 'jobId'), answer, operation.answer);
    return 'done';
  };
}

/** Rolls the latest patch back and follows the job. */
export async function rollBack(run: CommandRun): Promise<Exit> {
  const answer = await run.call();
  const id = upgradeJobId(answer);
  if (run.given.extra['detach'] !== true && id !== undefined) return watchJob(run, id);
  const text = `The rollback has started as ${id}. Follow it with steward upgrades watch.\n`;
  run.print({ kind: 'text', id: 'job.id', text: () => text }, answer, upgradeOperations.rollback.answer);
  return 'done';
}
