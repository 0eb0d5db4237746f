// The only file that loads the client library. The build bundles it on its own, without the parts of the library that it does
// not use: all of the library takes 90 MB of memory and a second to load.
import { KubeConfig } from '@kubernetes/client-node';

/** Nothing says which cluster to use. */
export class NoKubeConfig extends Error {
  override readonly name = 'NoKubeConfig';
}

/** Where the library connects if it finds nothing: an address without credentials, where a server that is not a cluster may listen. */
const MADE_UP_CONTEXT = 'loaded-context';

/** Reads a kubeconfig; without a file, that of the user or of the pod. Refuses to guess a cluster. */
export function readKubeConfig(file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (file !== undefined) {
    config.loadFromFile(file);
    return config;
  }
  config.loadFromDefault();
  if (config.getCurrentContext() === MADE_UP_CONTEXT) throw new NoKubeConfig();
  return config;
}
