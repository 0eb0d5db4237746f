import { inject } from 'vitest';
import { listAt, textAt } from '../../../../src/drivers/kubernetes/api/objectFields.ts';
import { parseJson, valueAt } from '../../../../src/foundation/schema/json.ts';
import { runCommand } from '../../run/runFolder.ts';
import { until } from '../../run/until.ts';
import type { Installation } from './installation.ts';

const LINES: ReadonlySet<unknown> = new Set([
  'the job has started',
  'this server has taken over the job and continues it',
]);

/** When a replica started or took over a job last, by its log; 0 if never. */
function claimedAt(log: string): number {
  const line = log
    .split('\n')
    .map(parseJson)
    .findLast((one) => LINES.has(valueAt(one, 'msg')));
  return Number(valueAt(line, 'time') ?? 0);
}

/** Makes the function that kills the replica which holds the job, as the kernel would: without a signal that it can handle. */
export function createHolderKiller(installation: Installation): () => Promise<void> {
  const dead = new Set<string>();

  async function holder(): Promise<string | undefined> {
    const replicas = await installation.replicas();
    const found = await Promise.all(
      replicas.map(async ({ pod }) => ({ pod, at: claimedAt(await installation.log(pod)) })),
    );
    const [last] = found.filter(({ at }) => at > 0).toSorted((one, other) => other.at - one.at);
    return last === undefined || dead.has(last.pod) ? undefined : last.pod;
  }

  return async () => {
    let pod: string | undefined;
    await until('a replica holds the job', async () => (pod = await holder()) !== undefined);
    if (pod === undefined) return;
    dead.add(pod);
    const object = await installation.read('pod', pod);
    const [status] = listAt(object?.status, 'containerStatuses');
    const container = textAt(status, 'containerID').replace('docker://', '');
    const env = { ...process.env, DOCKER_HOST: `unix://${inject('clusterFolder')}/docker.sock` };
    const { status: result, stderr } = await runCommand('docker', ['kill', container], { env });
    if (result !== 0) throw new Error(`docker kill ${pod}: ${stderr}`);
    // The Deployment replaces the pod at once, without the growing delay of a container that ends again and again.
    await installation.kubectl('delete', 'pod', pod, '--force', '--grace-period=0', '--wait=false');
  };
}
