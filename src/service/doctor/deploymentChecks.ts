import { systemClock } from '../../foundation/clock.ts';
import { counted } from '../../foundation/text/counted.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { connectKubernetes, openKubernetes } from '../../drivers/kubernetes/kubernetesDriver.ts';
import { runDriverChecks } from '../../upgrades/plan/checks/checks.ts';
import type { Check } from '../../upgrades/ports/deployment.ts';
import type { ConfiguredFiles } from '../files/configuredFiles.ts';
import type { Settings } from '../settings/settings.ts';
import type { Diagnosis } from './diagnosis.ts';
import { fail, pass, skip } from './diagnosis.ts';

const ANSWER_MS = 30_000;

function findingOf({ name, verdict, text, todo }: Check): Diagnosis {
  return { name: `cluster/${name}`, verdict: verdict === 'unknown' ? 'warn' : verdict, text, todo };
}

function cannotAsk(error: unknown): Diagnosis {
  return fail(
    'cluster',
    `The cluster cannot be asked: ${reasonOf(error)}`,
    'Check STEWARD_KUBECONFIG and the rights of its user (docs/kubernetes.md).',
  );
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
      const checks = await runDriverChecks(deployment, systemClock, { isPatient: false, limitMs: ANSWER_MS, signal });
      const inventory = await deployment.inventory(signal).catch(cannotAsk);
      if ('verdict' in inventory) return [...checks.map(findingOf), inventory];
      const { length } = inventory.workloads;
      const labels =
        length === 0
          ? fail(
              'cluster/labels',
              `No workload in ${description} has the labels ${selector}.`,
              'Label the workloads (docs/kubernetes.md), or set STEWARD_SELECTOR.',
            )
          : pass(
              'cluster/labels',
              `Found ${counted(length, 'workload')} in ${description} with the labels ${selector}.`,
            );
      return [...checks.map(findingOf), labels];
    } finally {
      await close();
      await connection.close();
    }
  } catch (error) {
    return [cannotAsk(error)];
  }
}
