// The faults of a simulated deployment.
import { simulationOperations } from '../../remote/simulationOperations.ts';
import type { RemoteCommand } from '../remoteCommand.ts';
import { done, table } from '../views.ts';

export const DEMO_COMMANDS: readonly RemoteCommand[] = [
  {
    words: 'faults ls',
    operation: simulationOperations.faults,
    example: 'faults ls',
    view: table('faults', 'id', ['id', 'kind', 'workload', 'phase', 'hook', 'struck'], 'There is no fault.'),
  },
  {
    words: 'faults rm',
    operation: simulationOperations.remove,
    arguments: ['id'],
    example: 'faults rm 01JC',
    view: done('The fault is removed.'),
  },
];
