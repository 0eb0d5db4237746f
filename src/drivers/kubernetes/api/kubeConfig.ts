// The only file that loads the client library. The build bundles it on its own, without the parts of the library that it does
// not use: all of the library takes 90 MB of memory and a second to load.
import { KubeConfig } from '@kubernetes/client-node';

/** Reads a kubeconfig; without a file, that of the user or of the pod. */
export function readKubeConfig(file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  return config;
}
