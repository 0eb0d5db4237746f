import { systemClock } from '../../foundation/clock.ts';
import { counted } from '../../foundation/counted.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { connectKubernetes, openKubernetes } from '../../drivers/kubernetes/kubernetesDriver.ts';
import type { Check } from '../../upgrades/ports/deployment.ts';
import type { ConfiguredFiles } from '../files/configuredFiles.ts';
import type { Settings } from '../settings/settings.ts';
import type { Diagnosis } from './diagnosis.ts';
import { fail, pass, skip } from './diagnosis.ts';

const ANSWER_MS = 30_000;

function findingOf({ name, verdict, text, todo }: Check): Diagnosis {
  return { name: `cluster/${name}`, verdict: verdict === 'unknown' ? 'warn' : verdict, text, todo };
}

/** Runs the checks of the cluster that an upgrade would run, and looks for labelled workloads. Nothing is changed. */
export async function checkDeployment(
  settings: Settings,
  { registryCa }: ConfiguredFiles,
): Promise<readonly Diagnosis[]> {
  const { deployment: kind, demo, selector } = settings;
  if (kind !== 'kubernetes') {
    const text = kind === 'simulated' || demo ? 'The deployment is simulated.' : 'No deployment is configured.';
    return [skip('cluster', text)];
  }
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const context = { clock: systemClock, installation: 'doctor', database: undefined };
    const connection = await connectKubernetes(settings);
    const { deployment, description, close } = openKubernetes(connection, { ...settings, registryCa }, context);
    try {
      const checks = await deployment.diagnose(signal);
      const { workloads } = await deployment.inventory(signal);
      const labels =
        workloads.length === 0
          ? fail(
              'cluster/labels',
              `No workload in ${description} has the labels ${selector}.`,
              'Label the workloads (docs/kubernetes.md), or set STEWARD_SELECTOR.',
            )
          : pass(
              'cluster/labels',
              `Found ${counted(workloads.length, 'workload')} in ${description} with the labels ${selector}.`,
            );
      return [...checks.map(findingOf), labels];
    } finally {
      await close();
      await connection.close();
    }
  } catch (error) {
    return [
      fail(
        'cluster',
        `The cluster cannot be asked: ${reasonOf(error)}`,
        'Check STEWARD_KUBECONFIG and the rights of its user (docs/kubernetes.md).',
      ),
    ];
  }
}
