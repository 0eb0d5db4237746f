import { isObject, parseJson, valueAt } from '../../../foundation/schema/json.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import type { Credentials } from './credentials.ts';

function decoded(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(Buffer.from(value, 'base64').toString('utf8')) : undefined;
}

/** `https://index.docker.io/v1/` and `registry.example/v2/shop` as the host that is asked, with the path that follows. */
function placeOf(key: string): string {
  const [host = '', ...rest] = key.replace(/^https?:\/\//, '').split('/');
  const path = rest
    .join('/')
    .replace(/^v[12](?:\/|$)/, '')
    .replace(/\/+$/, '');
  const asked = host === 'index.docker.io' || host === 'docker.io' ? 'registry-1.docker.io' : host;
  return path === '' ? asked : `${asked}/${path}`;
}

/** Reads the credentials of a container engine's configuration, as `user:password` in base 64 by registry and path. */
export function credentialsFrom(auths: unknown): Credentials {
  if (!isObject(auths)) return new Map();
  return new Map(
    Object.entries(auths).flatMap(([key, entry]) => {
      const { auth, username, password } = isObject(entry) ? entry : {};
      if (typeof auth === 'string') return [[placeOf(key), auth] as const];
      if (typeof username !== 'string' || typeof password !== 'string') return [];
      return [[placeOf(key), Buffer.from(`${username}:${password}`).toString('base64')] as const];
    }),
  );
}

/** Reads the credentials of one pull secret. */
export function credentialsIn(secret: ClusterObject & { readonly data?: unknown }): Credentials {
  const config = decoded(valueAt(secret.data, '.dockerconfigjson'));
  return credentialsFrom(valueAt(config, 'auths') ?? decoded(valueAt(secret.data, '.dockercfg')));
}

/** Reads all of these pull secrets. One that does not exist or may not be read is left out. */
export async function readPullSecrets(
  api: ClusterApi,
  names: Iterable<string>,
  signal?: AbortSignal,
): Promise<Credentials> {
  const found = await Promise.all(
    [...new Set(names)].map((name) => api.read('Secret', name, signal).catch(() => undefined)),
  );
  return new Map(found.flatMap((secret) => (secret === undefined ? [] : [...credentialsIn(secret)])));
}
