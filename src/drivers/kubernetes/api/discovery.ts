// Which kinds the cluster serves, in which versions and under which paths. A definition adds some at any time, so that only what is
// served is remembered.
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import { kindName } from '../../../model/objects/bundleObject.ts';
import { ApiError } from './apiError.ts';
import { listAt, textAt } from './objectFields.ts';

/** A kind as the cluster serves it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isCluster: boolean;
}

export type FoundKind =
  | { readonly kind: 'served'; readonly resource: Resource }
  /** `served` are the versions in which the cluster serves a kind of this name. */
  | { readonly kind: 'notServed'; readonly served: readonly string[] };

/** Reads a document of the server; throws an `ApiError` with 404 if there is none. */
export type GetDocument = (path: string) => Promise<unknown>;

/** A group of former versions, whose kinds are in other groups. */
const FORMER_GROUP = 'extensions';

export function prefixOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function resourcesIn(document: unknown, apiVersion: string): readonly Resource[] {
  return listAt(document, 'resources').flatMap((one) => {
    const [plural, kind] = [textAt(one, 'name'), textAt(one, 'kind')];
    if (!isObject(one) || plural.includes('/') || kind === '') return [];
    return [{ apiVersion, kind, plural, isCluster: one['namespaced'] === false }];
  });
}

/** The versions of a group, the preferred one first. */
export function versionsIn(group: unknown): readonly string[] {
  const preferred = valueAt(group, 'preferredVersion', 'version');
  const others = listAt(group, 'versions').map((one) => valueAt(one, 'version'));
  return [...new Set([preferred, ...others])].filter((one): one is string => typeof one === 'string');
}

export function createDiscovery(get: GetDocument) {
  const known = new Map<string, Resource>();

  /** Remembers what an API version serves. */
  async function readVersion(apiVersion: string): Promise<readonly Resource[]> {
    try {
      const found = resourcesIn(await get(prefixOf(apiVersion)), apiVersion);
      for (const one of found) known.set(`${apiVersion} ${one.kind}`, one);
      return found;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  }

  async function versionsOf(group: string): Promise<readonly string[]> {
    if (group === '') return ['v1'];
    const document = await get(`/apis/${group}`).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return {};
      throw error;
    });
    return versionsIn(document).map((version) => `${group}/${version}`);
  }

  /** The API versions that may serve a kind, in the order of preference of the server. */
  async function candidates(name: string): Promise<readonly string[]> {
    const [, ...group] = name.split('.');
    if (group.length > 0) return versionsOf(group.join('.'));
    const groups = listAt(await get('/apis'), 'groups').filter((one) => textAt(one, 'name') !== FORMER_GROUP);
    const others = groups.flatMap((one) => versionsIn(one).map((version) => `${textAt(one, 'name')}/${version}`));
    return ['v1', ...others.filter((apiVersion) => kindName({ apiVersion, kind: name }) === name)];
  }

  /** All versions in which a kind is served. */
  async function servedVersions(name: string): Promise<readonly Resource[]> {
    const [kind] = name.split('.');
    const lists = await Promise.all((await candidates(name)).map(readVersion));
    return lists.flat().filter((one) => one.kind === kind);
  }

  return {
    async find(apiVersion: string, kind: string): Promise<FoundKind> {
      const present =
        known.get(`${apiVersion} ${kind}`) ?? (await readVersion(apiVersion)).find((one) => one.kind === kind);
      if (present !== undefined) return { kind: 'served', resource: present };
      const others = await servedVersions(kindName({ apiVersion, kind }));
      return { kind: 'notServed', served: others.map((one) => one.apiVersion) };
    },

    /** Finds a kind by its name: `Service`, `Widget.example.com`. Undefined if it is not served. */
    findNamed: async (name: string): Promise<Resource | undefined> => (await servedVersions(name))[0],

    /** Forgets a kind that the server does not know any more. */
    forget: ({ apiVersion, kind }: Resource): void => void known.delete(`${apiVersion} ${kind}`),
  };
}
