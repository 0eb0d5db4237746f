// A control plane without a node, for one test: etcd, the API server and the controllers. The API server writes
// down every request of one account.
import { randomInt } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ApiRequest, Connection } from '../../../../src/drivers/kubernetes/api/connection.ts';
import { openConnection } from '../../../../src/drivers/kubernetes/api/connection.ts';
import { readKubeConfig } from '../../../../src/drivers/kubernetes/api/kubeConfig.ts';
import { listAt } from '../../../../src/drivers/kubernetes/api/objectFields.ts';
import { temporaryFolder } from '../../run/runFolder.ts';
import { until } from '../../run/until.ts';
import type { ClusterPart, ClusterPlace } from '../clusterParts.ts';
import { restartPart } from '../clusterParts.ts';
import { markCluster, runCluster, runClusterWith } from '../clusterProgram.ts';
import type { AuditedRequest } from './auditLog.ts';
import { auditPolicyOf, readAuditLog } from './auditLog.ts';

/** Sends a request and returns the answer. Throws unless it succeeds. */
export type Call = (request: ApiRequest) => Promise<unknown>;

export interface ControlPlane {
  /** As the administrator. */
  readonly connection: Connection;
  readonly call: Call;
  /** All requests of the audited account. */
  audited(): readonly AuditedRequest[];
  stop(): Promise<void>;
}

/** Below the ports that clients get: such a port stays free while the program that uses it is restarted. */
const FIRST_PORT = 20_000;
const LAST_PORT = 30_000;

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Finds a free port whose successor is free too: etcd uses two. */
async function freePorts(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

/** Starts a part again with more options. The file of its command is what the cluster program starts it from. */
async function restartWith(place: ClusterPlace, part: ClusterPart, ...options: readonly string[]): Promise<void> {
  appendFileSync(join(place.folder, `${part}.cmd`), ` ${options.join(' ')}`);
  await restartPart(place, part);
}

function callerOf(connection: Connection): Call {
  return async (request) => {
    const { statusCode, body } = await connection.send(request);
    const text = await body.text();
    // Without the limits of requests: the list of a large deployment exceeds them.
    if (statusCode < 400) return JSON.parse(text) as unknown;
    throw new Error(`${request.method} ${request.path} answered ${statusCode}: ${text}`);
  };
}

/** Whether the controllers work: they give each namespace a service account. */
async function hasController(call: Call): Promise<boolean> {
  const path = '/api/v1/namespaces/default/serviceaccounts';
  return listAt(await call({ method: 'GET', path }), 'items').length > 0;
}

/** Starts the three programs, with a log of the requests of one account. Returns the path of the log. */
async function startParts(place: ClusterPlace, auditedUser: string): Promise<string> {
  const { folder, variables = {} } = place;
  await runClusterWith(variables, 'up', folder, '--no-node');
  const [policy, log] = [join(folder, 'audit-policy.json'), join(folder, 'audit.log')];
  writeFileSync(policy, JSON.stringify(auditPolicyOf(auditedUser)));
  await restartWith(place, 'apiserver', `--audit-policy-file=${policy}`, `--audit-log-path=${log}`);
  // Its fixed port belongs to another cluster, if one runs. With the 5 workers that it has by default, it is slower than Steward.
  const workers = ['deployment', 'replicaset'].map((kind) => `--concurrent-${kind}-syncs=50`);
  await restartWith(place, 'controllers', '--secure-port=0', ...workers);
  return log;
}

/** Starts a control plane on free ports, beside any other cluster of this machine. */
export async function startControlPlane(auditedUser: string): Promise<ControlPlane> {
  const { path: folder, remove } = temporaryFolder();
  const place = { folder, variables: { ETCD_PORT: String(await freePorts()), API_PORT: String(await freePorts()) } };
  const removeMark = markCluster(folder);
  const stopParts = async (): Promise<void> => {
    await runCluster('down', folder);
    removeMark();
    remove();
  };
  try {
    const log = await startParts(place, auditedUser);
    const connection = openConnection(() => readKubeConfig(join(folder, 'kubeconfig')));
    const call = callerOf(connection);
    await until('the controllers work', () => hasController(call));
    return {
      connection,
      call,
      audited: () => (existsSync(log) ? readAuditLog(readFileSync(log, 'utf8')) : []),
      stop: async () => {
        await connection.close();
        await stopParts();
      },
    };
  } catch (error) {
    await stopParts();
    throw error;
  }
}
