// What kubectl tells about the objects of a bundle. Uses nothing of src: the comparison with it must not share a fault with Steward.
import { runCommand } from '../../run/runFolder.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonFields = Readonly<Record<string, Json>>;

export interface LiveObject extends JsonFields {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: JsonFields & { readonly name: string };
}

/** Where to look. */
export interface ClusterPlace {
  readonly kubeconfig: string;
  readonly namespace: string;
}

export const INSTALLATION = 'steward/installation';
/** Kinds that controllers fill, with the labels of the object that they belong to. */
const DERIVED = /^(?:Endpoints|EndpointSlice|Pod|ReplicaSet|ControllerRevision|Event)$/;

export function fieldsOf(value: Json | undefined): JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

/** A value as text; empty for objects and lists. */
export function textOf(value: Json | undefined): string {
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

export function nameOf({ kind, metadata }: LiveObject): string {
  return `${kind}/${metadata.name}`;
}

async function run({ kubeconfig, namespace }: ClusterPlace, args: readonly string[]): Promise<string> {
  const where = ['--kubeconfig', kubeconfig, '--namespace', namespace];
  const { status, stdout, stderr } = await runCommand('kubectl', [...where, ...args]);
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function items(place: ClusterPlace, args: readonly string[]): Promise<readonly LiveObject[]> {
  const parsed = JSON.parse(await run(place, ['get', ...args, '-o', 'json', '--show-managed-fields'])) as {
    readonly items: readonly LiveObject[];
  };
  return parsed.items;
}

/** The name of a kind for kubectl, with its version: `Deployment.v1.apps`. */
function resourceOf({ apiVersion, kind }: Pick<LiveObject, 'apiVersion' | 'kind'>): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? kind : `${kind}.${version}.${group}`;
}

/** The objects that exist of the kinds of these, by `kind/name`. Kinds that the cluster does not serve have none. */
export async function readKinds(
  place: ClusterPlace,
  objects: readonly LiveObject[],
): Promise<ReadonlyMap<string, LiveObject>> {
  const found = new Map<string, LiveObject>();
  for (const resource of new Set(objects.map(resourceOf))) {
    const all = await items(place, [resource]).catch((error: unknown) => {
      if (/doesn't have a resource type|NotFound/.test(String(error))) return [];
      throw error;
    });
    for (const one of all) found.set(nameOf(one), one);
  }
  return found;
}

/** The names of all objects with the label of an installation, in the namespace and outside namespaces. */
export async function labelled(place: ClusterPlace, installation: string): Promise<ReadonlySet<string>> {
  const served = (await run(place, ['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n');
  const resources = served.filter((one) => !one.endsWith('.metrics.k8s.io'));
  const all = await items(place, [resources.join(','), '-l', `${INSTALLATION}=${installation}`]);
  return new Set(all.filter(({ kind }) => !DERIVED.test(kind)).map(nameOf));
}
