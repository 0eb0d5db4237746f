// The only file that loads the client library. The build bundles it on its own, without the parts of the library that it does
// not use: all of the library takes 90 MB of memory and a second to load.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';

/** Nothing says which cluster to use. */
export class NoKubeConfig extends Error {
  override readonly name = 'NoKubeConfig';
}

/** Where the library connects if it finds nothing: an address without credentials, where a server that is not a cluster may listen. */
const MADE_UP_CONTEXT = 'loaded-context';

/** Fields that the library leaves out without a word. They act only together with `as`. */
const UNSUPPORTED = /["']?\b(as-groups|as-uid|as-user-extra)["']?\s*:/;
/** A file with a token. The library knows it by another name, and as relative to the working folder instead of the kubeconfig. */
const TOKEN_FILE = /(?<=^|[\s{,-])["']?tokenFile["']?\s*:\s*("[^"]*"|'[^']*'|[^\s,}#]+)/g;

/** In the configuration of an authentication provider, `tokenFile` is another field. */
function withTokenFiles(text: string, folder: string): string {
  if (text.includes('auth-provider')) return text;
  return text.replaceAll(TOKEN_FILE, (_, value: string) => {
    const file = value.replaceAll(/^["']|["']$/g, '');
    return `"token-file": ${JSON.stringify(resolve(folder, file))}`;
  });
}

function readFile(file: string): KubeConfig {
  const config = new KubeConfig();
  const text = readFileSync(file, 'utf8');
  const folder = resolve(dirname(file));
  config.loadFromString(withTokenFiles(text, folder));
  config.makePathsAbsolute(folder);
  const impersonates = config.getUsers().some(({ impersonateUser }) => Boolean(impersonateUser));
  const ignored = impersonates ? UNSUPPORTED.exec(text)?.[1] : undefined;
  if (ignored !== undefined) throw new Error(`${ignored} of a user is not supported`);
  return config;
}

/** The files of the user, as kubectl finds them. */
function userFiles(): readonly string[] {
  const named = process.env['KUBECONFIG']?.split(delimiter).filter((file) => file !== '') ?? [];
  if (named.length > 0) return named;
  const file = join(homedir(), '.kube', 'config');
  return existsSync(file) ? [file] : [];
}

/** Reads a kubeconfig; without a file, that of the user or of the pod. Refuses to guess a cluster. */
export function readKubeConfig(file: string | undefined): KubeConfig {
  if (file !== undefined) return readFile(file);
  const [first, ...others] = userFiles();
  if (first !== undefined) {
    const config = readFile(first);
    for (const other of others) config.mergeConfig(readFile(other));
    return config;
  }
  const config = new KubeConfig();
  config.loadFromDefault();
  if (config.getCurrentContext() === MADE_UP_CONTEXT) throw new NoKubeConfig();
  return config;
}
