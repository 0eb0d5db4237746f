import type { ClusterApi } from '../api/clusterApi.ts';
import { listAt, textAt } from '../api/objectFields.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { podSpecOf } from '../workloads/podTemplate.ts';
import type { Credentials } from './credentials.ts';
import { readPullSecrets } from './pullSecrets.ts';

function pullSecretsIn(specOrAccount: unknown): readonly string[] {
  return listAt(specOrAccount, 'imagePullSecrets').map((one) => textAt(one, 'name'));
}

/**
 * Reads the credentials for pulling the images of these workloads: their own, and those of their service accounts. `more` are accounts
 * that count as well.
 */
export async function credentialsOf(
  api: ClusterApi,
  workloads: readonly FoundWorkload[],
  signal?: AbortSignal,
  more: readonly string[] = [],
): Promise<Credentials> {
  const specs = workloads.map(({ kind, object }) => podSpecOf(kind, object));
  const accounts = new Set([...more, ...specs.map((spec) => textAt(spec, 'serviceAccountName') || 'default')]);
  const found = await Promise.all(
    [...accounts].map((name) => api.read('ServiceAccount', name, signal).catch(() => undefined)),
  );
  return readPullSecrets(api, [...found, ...specs].flatMap(pullSecretsIn), signal);
}
