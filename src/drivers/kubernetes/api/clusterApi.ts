// The requests to the API server, and what their answers mean: an object, an absence, a conflict, a refusal or a trouble.
import { valueAt } from '../../../foundation/schema/json.ts';
import { ApiError, errorOf } from './apiError.ts';
import { listAt, textAt } from './objectFields.ts';
import type { Resource } from './discovery.ts';
import { prefixOf } from './discovery.ts';
import type { KindRef, Resources } from './resources.ts';
import type { Connection } from './connection.ts';

/** An object of the cluster, as far as all kinds have the same fields. */
export interface ClusterObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly managedFields?: readonly ManagedFields[];
  };
  readonly spec?: unknown;
  readonly status?: unknown;
  /** Not of the server: fields that Steward has applied were left out, so that nothing can be applied from this copy. */
  readonly isPartial?: true;
}

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
  /** Not of the server: see `withInstalled`. */
  readonly isAssumed?: true;
}

function isClusterObject(value: unknown): value is ClusterObject {
  return textAt(value, 'metadata', 'name') !== '';
}

/** Checks that an answer is an object of the cluster. */
export function objectOf(answer: unknown): ClusterObject {
  if (isClusterObject(answer)) return answer;
  throw new Error('the API server sent something else than an object of the cluster');
}

export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  readonly isDryRun?: boolean;
  /** Of an object of any kind; undefined for the kinds of Steward's own use. */
  readonly resource?: Resource | undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** So few that an answer is parsed and dropped while it is young: with 500, a list of a large deployment takes 100 MB more. */
const PAGE = 100;
const NO_LOG = /^unable to retrieve container logs for \S+$/;

function query(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter((one): one is [string, string] => one[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** The place that Steward writes to, and the name under which it does. */
export interface ClusterPlace {
  readonly namespace: string;
  /** Unique for each store of Steward. */
  readonly installation: string;
}

export function createClusterApi(
  { send }: Connection,
  resources: Resources,
  { namespace, installation }: ClusterPlace,
) {
  async function call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    more: { readonly body?: unknown; readonly contentType?: string; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<unknown> {
    const { statusCode, body } = await send({ method, path, ...more });
    const text = await body.text();
    const answer = parsed(text);
    if (statusCode >= 400) throw errorOf(statusCode, answer, text);
    return answer;
  }

  async function pathOf(kind: KindRef, name: string | undefined, signal: AbortSignal | undefined): Promise<string> {
    const base = await resources.pathOf(kind, namespace, signal);
    return name === undefined ? base : `${base}/${encodeURIComponent(name)}`;
  }

  /** Reads all objects of a kind, page by page, and the version of the list. Only what `read` returns stays in memory. */
  async function listAs<T>(
    kind: KindRef,
    labelSelector: string | undefined,
    read: (object: ClusterObject) => T,
    signal?: AbortSignal,
  ) {
    const items: T[] = [];
    let next = '';
    let version = '';
    do {
      const search = query({ labelSelector, limit: String(PAGE), continue: next || undefined });
      const page = await call('GET', `${await pathOf(kind, undefined, signal)}${search}`, { signal });
      items.push(...listAt(page, 'items').map((one) => read(objectOf(one))));
      version = textAt(page, 'metadata', 'resourceVersion');
      next = textAt(page, 'metadata', 'continue');
    } while (next !== '');
    return { items, version };
  }

  return {
    namespace,
    installation,

    /** Reads an object; undefined if there is none. */
    async read(kind: KindRef, name: string, signal?: AbortSignal): Promise<ClusterObject | undefined> {
      try {
        return objectOf(await call('GET', await pathOf(kind, name, signal), { signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },

    /** How many objects of a kind there are, in all namespaces. */
    async count(resource: Resource, signal?: AbortSignal): Promise<number> {
      const page = await call('GET', `${prefixOf(resource.apiVersion)}/${resource.plural}?limit=1`, { signal });
      const rest: unknown = valueAt(page, 'metadata', 'remainingItemCount');
      return listAt(page, 'items').length + (typeof rest === 'number' ? rest : 0);
    },

    list: (kind: KindRef, labelSelector?: string, signal?: AbortSignal) =>
      listAs(kind, labelSelector, (object) => object, signal),

    listAs,

    /** Applies the given fields as a field manager (server-side apply), and returns the object after it. */
    async apply(object: ClusterObject, options: ApplyOptions, signal?: AbortSignal): Promise<ClusterObject> {
      const kind = options.resource ?? object.kind ?? '';
      const search = query({
        fieldManager: options.manager,
        force: String(options.force),
        dryRun: options.isDryRun === true ? 'All' : undefined,
      });
      const path = `${await pathOf(kind, object.metadata.name, signal)}${search}`;
      const body = { apiVersion: await resources.versionOf(kind, signal), ...object };
      return objectOf(
        await call('PATCH', path, {
          body,
          contentType: 'application/apply-patch+yaml',
          signal,
        }),
      );
    },

    async create(object: ClusterObject, signal?: AbortSignal): Promise<ClusterObject> {
      const { kind = '' } = object;
      const body = { apiVersion: await resources.versionOf(kind, signal), ...object };
      return objectOf(await call('POST', await pathOf(kind, undefined, signal), { body, signal }));
    },

    /** Deletes an object with what it owns. Does nothing if there is none. */
    async remove(kind: string, name: string, uid?: string, signal?: AbortSignal): Promise<void> {
      const body = { propagationPolicy: 'Background', ...(uid !== undefined && { preconditions: { uid } }) };
      try {
        await call('DELETE', await pathOf(kind, name, signal), { body, signal });
      } catch (error) {
        if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error;
      }
    },

    /** Deletes this version of an object with what it owns. Throws if it was changed since. */
    async removeVersion(
      resource: Resource,
      { metadata }: ClusterObject,
      { isDryRun = false }: { readonly isDryRun?: boolean },
      signal?: AbortSignal,
    ): Promise<void> {
      const { name, uid, resourceVersion } = metadata;
      const preconditions = { uid, resourceVersion };
      const body = { propagationPolicy: 'Background', preconditions, ...(isDryRun && { dryRun: ['All'] }) };
      await call('DELETE', await pathOf(resource, name, signal), { body, signal });
    },

    /** Changes an object that exists, as a field manager: by a merge, or by the operations of a JSON patch. */
    async patch(
      resource: KindRef,
      name: string,
      patch: object,
      { manager, isDryRun = false }: Pick<ApplyOptions, 'manager' | 'isDryRun'>,
      signal?: AbortSignal,
    ): Promise<ClusterObject> {
      const search = query({ fieldManager: manager, dryRun: isDryRun ? 'All' : undefined });
      const path = `${await pathOf(resource, name, signal)}${search}`;
      const contentType = `application/${Array.isArray(patch) ? 'json' : 'merge'}-patch+json`;
      return objectOf(await call('PATCH', path, { body: patch, contentType, signal }));
    },

    find: resources.find,
    findNamed: resources.findNamed,
    forget: resources.forget,

    /** The last lines of a container's log; empty if they cannot be read. */
    async log(
      pod: string,
      container: string,
      lines: number,
      isPrevious: boolean,
      signal?: AbortSignal,
    ): Promise<readonly string[]> {
      const search = query({ container, tailLines: String(lines), previous: isPrevious ? 'true' : undefined });
      const { statusCode, body } = await send({
        method: 'GET',
        path: `${await pathOf('Pod', pod, signal)}/log${search}`,
        signal,
      });
      const text = await body.text();
      // The node answers 200 also if the container is gone, with an excuse instead of the log.
      const hasLog = statusCode === 200 && !NO_LOG.test(text);
      return hasLog ? text.split('\n').filter((line) => line !== '') : [];
    },

    /** Whether Steward may do something; the server decides, as it would for the request itself. */
    async mayI(attributes: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<boolean> {
      const review = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { namespace, ...attributes } },
      };
      const answer = await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        body: review,
        signal,
      });
      return valueAt(answer, 'status', 'allowed') === true;
    },

    get: (path: string, signal?: AbortSignal): Promise<unknown> => call('GET', path, { signal }),

    /** Opens a watch. Each line of its body is one change. */
    async watch(
      kind: string,
      labelSelector: string | undefined,
      version: string,
      signal: AbortSignal,
    ): Promise<AsyncIterable<Uint8Array>> {
      const search = query({
        watch: 'true',
        labelSelector,
        resourceVersion: version,
        allowWatchBookmarks: 'true',
        timeoutSeconds: '300',
      });
      const { statusCode, body } = await send({
        method: 'GET',
        path: `${await pathOf(kind, undefined, signal)}${search}`,
        signal,
      });
      if (statusCode >= 400) throw errorOf(statusCode, parsed(await body.text()));
      return body;
    },
  };
}

export type ClusterApi = ReturnType<typeof createClusterApi>;
