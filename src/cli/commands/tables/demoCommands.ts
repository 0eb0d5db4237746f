// The faults of a simulated deployment.
import { simulationOperations } from '../../remote/simulationOperations.ts';
import type { RemoteCommand } from '../remoteCommand.ts';
import { command, done, table } from '../views.ts';

export const DEMO_COMMANDS: readonly RemoteCommand[] = [
  command('faults ls', '', simulationOperations.faults, {
    view: table('faults', 'id', ['id', 'kind', 'workload', 'phase', 'hook', 'struck'], 'There is no fault.'),
  }),
  command('faults rm', '01JC', simulationOperations.remove, { arguments: ['id'], view: done('The fault is removed.') }),
];
