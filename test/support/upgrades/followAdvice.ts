import { expect } from 'vitest';
import { requestFor } from '../../../src/console/actions/requests.ts';
import type { ShownAction } from '../../../src/model/nextAction.ts';
import { isNextAction } from '../../../src/model/nextAction.ts';
import type { Client } from '../server/client.ts';

/** Actions that start a job or continue one. */
const RUNS_JOB: ReadonlySet<string> = new Set(['retry', 'resume', 'startAgain', 'rollback']);

export interface Following {
  readonly client: Pick<Client, 'must'>;
  /** Lets time pass until no job runs. */
  readonly untilEnd: () => Promise<unknown>;
}

/** Carries out actions in their order, as an answer lists them, without knowing what they are for. */
export async function carryOut(actions: readonly ShownAction[], { client, untilEnd }: Following): Promise<void> {
  for (const next of actions) {
    if (!isNextAction(next)) throw new Error(`${next.action} is not a known action with all its parameters`);
    const request = requestFor(next);
    expect(request, `${next.action} needs a person`).toBeDefined();
    if (request === undefined) continue;
    await client.must(`/admin${request.path}`, request.method === 'GET' ? undefined : request.fields);
    if (RUNS_JOB.has(next.action)) await untilEnd();
  }
}
