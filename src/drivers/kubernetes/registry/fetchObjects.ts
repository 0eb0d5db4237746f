import type { ClusterApi } from '../api/clusterApi.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import type { Rewrite } from './imageReference.ts';
import { parseReference, rewritten } from './imageReference.ts';
import { credentialsOf } from './pullCredentials.ts';
import type { RegistryClient } from './registryClient.ts';

interface ObjectSource {
  readonly api: ClusterApi;
  readonly registry: Pick<RegistryClient, 'fetchBundle'>;
  readonly rewrites: readonly Rewrite[];
}

/**
 * Fetches a bundle of objects as images are pulled: from the same mirrors, with the same credentials. A namespace without workloads has
 * those of its default account.
 */
export async function fetchObjects(
  { api, registry, rewrites }: ObjectSource,
  image: string,
  workloads: readonly FoundWorkload[],
  signal?: AbortSignal,
): Promise<Buffer> {
  const credentials = await credentialsOf(api, workloads, signal, ['default']);
  return registry.fetchBundle(parseReference(rewritten(image, rewrites)), credentials, signal);
}
