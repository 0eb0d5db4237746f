import { hookFault } from '../faults/injectedFault.ts';
import { faultsIn, hooksIn, runIn, runName, settingsIn } from '../state/documents.ts';
import type { ActOf, BeginResult, Snapshot } from './beginResult.ts';
import { UNCHANGED, countStrike, refused, started } from './beginResult.ts';
import type { RunState } from './run.ts';
import { isRunningOrDone } from './run.ts';

export function beginHook({ hook, run }: ActOf<'hook'>, { documents, now }: Snapshot): BeginResult {
  const name = runName(run, hook);
  if (isRunningOrDone(runIn(documents, name), now)) return UNCHANGED;
  if (!hooksIn(documents).includes(hook))
    return refused({
      reason: `The simulated deployment has no hook ${hook}.`,
      lines: [],
      advice: 'Fill the deployment with an inventory that names the hook, or reset it; then start again.',
    });
  const fault = hookFault(faultsIn(documents), hook, now);
  const { hookMs } = settingsIn(documents);
  const state: RunState = { begun: now, durationMs: hookMs, ...(fault && { faultId: fault.id }) };
  return started(new Map<string, unknown>([[name, state], ...countStrike(fault)]));
}
