import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Abandoned, HookAct } from '../../../upgrades/ports/deployment.ts';
import type { Snapshot } from '../state/documents.ts';
import { fenceIn, runIn, runName } from '../state/documents.ts';
import { NO_CHANGES } from './beginResult.ts';
import { runStatus } from './run.ts';

const OVERTAKEN: Abandoned = { kind: 'left', reason: 'another server has taken over the job' };

/** Stops a run of a hook, which is then absent. A run that has ended stays as it is. */
export function abandonHook(
  { hook, run }: HookAct,
  fence: number,
  { documents, now }: Snapshot,
): { readonly abandoned: Abandoned; readonly changes: DocumentMap } {
  if (fence < fenceIn(documents)) return { abandoned: OVERTAKEN, changes: NO_CHANGES };
  const name = runName(run, hook);
  const found = runIn(documents, name);
  const isRunning = found !== undefined && runStatus(found, now) === 'running';
  return { abandoned: { kind: 'stopped' }, changes: isRunning ? new Map([[name, undefined]]) : NO_CHANGES };
}
