import type { DriverCheck } from '../../upgrades/ports/deployment.ts';
import type { FaultKind, InjectedFault } from './state/injectedFault.ts';
import { faultRemedy } from './state/injectedFault.ts';

interface CheckRow {
  readonly name: string;
  readonly text: string;
  /** The kind of fault that makes it fail, and its texts then. */
  readonly failing?: { readonly kind: FaultKind; readonly text: string; readonly todo: string };
}

const CHECKS: readonly CheckRow[] = [
  {
    name: 'rights',
    text: 'Steward may read and change all simulated workloads.',
    failing: {
      kind: 'forbidden',
      text: 'The account of Steward lacks the permission "patch" on the simulated workloads.',
      todo: 'Grant this permission to the account of Steward.',
    },
  },
  { name: 'nodes', text: '6 of 6 simulated nodes are ready.' },
  {
    name: 'quota',
    text: 'The simulated quota leaves room for one more replica of each workload.',
    failing: {
      kind: 'quota',
      text: '64 of 64 GiB of the memory quota of the simulated namespace `demo` are used, and a new replica needs 2 GiB.',
      todo: 'Raise the memory quota of the namespace `demo` by 2 GiB.',
    },
  },
  {
    name: 'disk',
    text: 'The simulated nodes have room for more images.',
    failing: {
      kind: 'diskFull',
      text: 'The simulated disk of node-3 is full, so it has no room for more images.',
      todo: 'Free space on the disk of node-3, or drain it.',
    },
  },
];

/** Answers the checks that a real cluster would answer; an injected fault makes one of them fail. */
export function preflightChecks(
  faults: (signal?: AbortSignal) => Promise<readonly InjectedFault[]>,
): readonly DriverCheck[] {
  return CHECKS.map(({ name, text, failing }) => ({
    name,
    async run(signal) {
      const fault = (await faults(signal)).find(({ kind }) => kind === failing?.kind);
      if (fault === undefined || failing === undefined) return { verdict: 'pass', text, todo: '' };
      const { advice: todo, nextActions } = faultRemedy(fault.id, failing.todo);
      return { verdict: 'fail', text: failing.text, todo, nextActions };
    },
  }));
}
