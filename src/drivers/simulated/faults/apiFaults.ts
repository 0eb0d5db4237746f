import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Failure } from '../../../model/failure.ts';
import { DeploymentOutage } from '../../../model/failure.ts';
import type { SimulationDependencies } from '../state/documents.ts';
import { FAULTS, activeFaults, faultName } from '../state/documents.ts';
import type { FaultKind, InjectedFault } from '../state/injectedFault.ts';
import { faultRemedy } from '../state/injectedFault.ts';

const API_FAULTS: ReadonlySet<FaultKind> = new Set(['apiErrors', 'apiHangs'] as const);

/** Never answers, like an API server behind a broken network; rejects when the signal aborts. */
function hang(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Error('the call was stopped'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Reads documents as through a cluster's API: it fails or hangs while a fault says so. */
export function createApiReader({ documents, clock }: SimulationDependencies) {
  /** An outage begins with the first call that meets it. */
  async function beginOutage(fault: InjectedFault): Promise<void> {
    const name = faultName(fault.id);
    if (fault.since !== undefined) return;
    await documents.change([name], (again) =>
      again.has(name) ? new Map([[name, { ...fault, since: clock.now(), struck: 1 }]]) : new Map(),
    );
  }

  return async function read(signal: AbortSignal | undefined, ...prefixes: readonly string[]): Promise<DocumentMap> {
    const found = await documents.read(FAULTS, ...prefixes);
    const fault = activeFaults({ documents: found, now: clock.now() }).find(({ kind }) => API_FAULTS.has(kind));
    if (fault === undefined) return found;
    await beginOutage(fault);
    if (fault.kind === 'apiHangs') return hang(signal);
    throw new DeploymentOutage('the simulated API server answered 503 Service Unavailable', faultRemedy(fault.id));
  };
}

/** Why a change is refused while a fault takes the permission to change workloads away. */
export function forbiddenFailure(active: readonly InjectedFault[]): Failure | undefined {
  const fault = active.find(({ kind }) => kind === 'forbidden');
  return (
    fault && {
      reason:
        'The simulated deployment refused the change: the account of Steward lacks the permission "patch" on workloads.',
      lines: ['[simulated] 403 Forbidden: cannot patch resource "deployments" in API group "apps"'],
      ...faultRemedy(fault.id, 'Grant the permission "patch" on workloads to the account of Steward.'),
    }
  );
}
