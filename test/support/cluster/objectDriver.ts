// The Kubernetes driver as the tests of objects use it: with the account of an administrator, and kinds of the whole cluster.
import { connectKubernetes } from '../../../src/drivers/kubernetes/kubernetesDriver.ts';
import type { ClusterApi } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { createClusterApi } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { createResources } from '../../../src/drivers/kubernetes/api/resources.ts';
import { createKubernetesDeployment } from '../../../src/drivers/kubernetes/kubernetesDeployment.ts';
import { createRegistryClient } from '../../../src/drivers/kubernetes/registry/registryClient.ts';
import { createClusterWatch } from '../../../src/drivers/kubernetes/watch/clusterWatch.ts';
import { DEFAULT_SELECTOR } from '../../../src/drivers/kubernetes/workloads/labels.ts';
import type { Connection } from '../../../src/drivers/kubernetes/api/connection.ts';
import { systemClock } from '../../../src/foundation/clock.ts';
import type { JsonObject } from '../../../src/foundation/schema/json.ts';
import { objectName } from '../../../src/model/objects/bundleObject.ts';
import type { ObjectAct, ObjectFinding, WantedObject } from '../../../src/upgrades/ports/objects.ts';
import type { Observation } from '../../../src/upgrades/ports/deployment.ts';
import { ADMIN_KUBECONFIG } from './cluster.ts';

export interface ObjectDriverOptions {
  readonly namespace: string;
  readonly cleanUp: (action: () => unknown) => void;
  readonly kubeconfig?: string;
  readonly clusterKinds?: readonly string[];
}

/** Notes the requests that a connection sends, as `PATCH /api/v1/…`. */
function counted(connection: Connection, sent: string[]): Connection {
  return {
    ...connection,
    send(call) {
      sent.push(`${call.method} ${call.path}`);
      return connection.send(call);
    },
  };
}

function actOn(object: string, content: JsonObject | undefined, more: Partial<ObjectAct> = {}): ObjectAct {
  return { kind: 'object', object, content, expected: undefined, images: [], ...more };
}

export async function openObjectDriver(options: ObjectDriverOptions) {
  const { namespace, cleanUp, kubeconfig = ADMIN_KUBECONFIG, clusterKinds = [] } = options;
  const opened = await connectKubernetes({ kubeconfig });
  const sent: string[] = [];
  const connection = counted(opened, sent);
  cleanUp(opened.close);
  const api: ClusterApi = createClusterApi(connection, createResources(connection), {
    namespace,
    installation: 'test',
  });
  const watch = createClusterWatch(api, DEFAULT_SELECTOR, systemClock);
  cleanUp(() => watch.stop());
  const registry = createRegistryClient({ ca: undefined, plainHttp: new Set() });
  cleanUp(() => registry.close());
  const deployment = createKubernetesDeployment({
    api,
    watch,
    registry,
    clock: systemClock,
    selector: DEFAULT_SELECTOR,
    takeOverFrom: new Set(),
    rewrites: [],
    clusterKinds: new Set(clusterKinds),
  });

  async function compare(...wanted: readonly WantedObject[]): Promise<readonly ObjectFinding[]> {
    return deployment.compareObjects(wanted);
  }

  async function find(content: JsonObject, more: Partial<WantedObject> = {}): Promise<ObjectFinding> {
    const [finding] = await compare({ object: objectName(content), content, ...more });
    if (finding === undefined) throw new Error('there is no finding');
    return finding;
  }

  /** Plans an object and applies it as planned. */
  async function apply(content: JsonObject, more: Partial<ObjectAct> = {}) {
    const { former } = await find(content, more);
    const act = actOn(objectName(content), content, { expected: former, ...more });
    return { act, former, begun: await deployment.begin(act, 1) };
  }

  async function undo(object: string, former: JsonObject | undefined) {
    return deployment.begin(actOn(object, former, { expected: 'any', isUndo: true }), 1);
  }

  async function look(act: ObjectAct, receipt?: string): Promise<Observation | undefined> {
    return (await deployment.observe([{ ...act, receipt }]))[0];
  }

  return { deployment, api, sent, compare, find, apply, undo, actOn, look };
}
