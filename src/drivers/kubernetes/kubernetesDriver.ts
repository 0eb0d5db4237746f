import type { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { Database } from '../../upgrades/ports/database.ts';
import { NO_DATABASE, joinDatabase } from '../joinDatabase.ts';
import { createClusterApi } from './api/clusterApi.ts';
import type { Connection } from './api/connection.ts';
import { KubeConfigProblem, openConnection } from './api/connection.ts';
import { patientConnection } from './api/patientConnection.ts';
import { createResources } from './api/resources.ts';
import { createKubernetesDeployment } from './kubernetesDeployment.ts';
import type { Rewrite } from './registry/imageReference.ts';
import { createClusterWatch } from './watch/clusterWatch.ts';
import { createRegistryClient } from './registry/registryClient.ts';

/** The settings of the driver, by the names in docs/configuration.md. */
export interface KubernetesSettings {
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
  readonly selector: string;
  readonly takeOverFrom: readonly string[];
  readonly imageRewrite: readonly Rewrite[];
  /** The kinds outside namespaces that objects may have. */
  readonly clusterKinds: readonly string[];
  /** Additional certificate authorities, in PEM. */
  readonly registryCa: string | undefined;
  readonly registryHttp: readonly string[];
}

export interface KubernetesContext {
  readonly clock: Clock;
  /** Undefined if a release leaves the database as it is. */
  readonly database: Database | undefined;
  /** Unique for each store of Steward. */
  readonly installation: string;
}

const NO_CLUSTER =
  'STEWARD_DEPLOYMENT is kubernetes, and no cluster is known: this is not a pod with a service account, KUBECONFIG is not set, and ~/.kube/config does not exist. Set STEWARD_KUBECONFIG to a kubeconfig, or STEWARD_DEPLOYMENT to none.';

/** Reads the kubeconfig, and returns the connection to its cluster. The cluster need not answer yet. */
export async function connectKubernetes({ kubeconfig }: Pick<KubernetesSettings, 'kubeconfig'>): Promise<Connection> {
  // Loaded here, because it takes 0.2 s and 20 MB that only this driver needs.
  const { NoKubeConfig, readKubeConfig } = await import('./api/kubeConfig.ts');
  function unusable(error: unknown): StewardError {
    if (error instanceof NoKubeConfig) return new StewardError('invalid', NO_CLUSTER, { cause: error });
    const how = error instanceof KubeConfigProblem ? 'used' : 'read';
    return new StewardError(
      'invalid',
      `The kubeconfig ${kubeconfig ?? 'of this user'} cannot be ${how}: ${sentence(reasonOf(error))} Correct it, or set STEWARD_KUBECONFIG to another file.`,
      { cause: error },
    );
  }
  const read = (): KubeConfig => {
    try {
      return readKubeConfig(kubeconfig);
    } catch (error) {
      throw unusable(error);
    }
  };
  try {
    return openConnection(read);
  } catch (error) {
    throw error instanceof KubeConfigProblem ? unusable(error) : error;
  }
}

/**
 * Opens the deployment in a namespace of a Kubernetes cluster, as the value `kubernetes` of the setting `deployment`. The
 * cluster need not answer yet: the catalog and the webhooks are served without it.
 */
export function openKubernetes(
  connection: Connection,
  settings: Omit<KubernetesSettings, 'kubeconfig'>,
  { clock, installation, database }: KubernetesContext,
) {
  const namespace = settings.namespace ?? connection.namespace;
  const patient = patientConnection(connection, clock);
  const resources = createResources(patient);
  const registry = createRegistryClient({ ca: settings.registryCa, plainHttp: new Set(settings.registryHttp) });
  const api = createClusterApi(patient, resources, { namespace, installation });
  const watch = createClusterWatch(api, settings.selector, clock);
  const workloads = createKubernetesDeployment({
    api,
    watch,
    registry,
    clock,
    selector: settings.selector,
    takeOverFrom: new Set(settings.takeOverFrom),
    rewrites: settings.imageRewrite,
    clusterKinds: new Set(settings.clusterKinds),
  });
  return {
    kind: 'kubernetes' as const,
    deployment: joinDatabase(workloads, database ?? NO_DATABASE),
    namespace,
    // An observation looks at what the watch has shown, and needs no request.
    observeEveryMs: 500,
    description: `the namespace ${namespace} of the Kubernetes cluster ${connection.server}`,
    close: async (): Promise<void> => {
      watch.stop();
      await registry.close();
    },
  };
}
