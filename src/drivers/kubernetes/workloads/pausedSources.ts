// The source of an object, as far as the account of Steward may read it: where a GitOps tool is paused for all that it applies.
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { textAt } from '../api/objectFields.ts';

interface Source {
  readonly manager: string;
  readonly group: string;
  readonly plural: string;
  readonly name: string;
  readonly namespaces: readonly string[];
}

const ARGO_NAMESPACE = 'argocd';
const FLUX = [
  ['Flux kustomize-controller', 'kustomize.toolkit.fluxcd.io', 'kustomizations'],
  ['Flux helm-controller', 'helm.toolkit.fluxcd.io', 'helmreleases'],
] as const;

/** Where the sources of an object are, by the marks of the tools. */
function sourcesOf({ metadata: { labels, annotations, namespace } }: ClusterObject, ours: string): readonly Source[] {
  const marked = (key: string): string | undefined => annotations?.[key] ?? labels?.[key];
  const application = marked('argocd.argoproj.io/tracking-id')?.split(':')[0] ?? marked('argocd.argoproj.io/instance');
  const own = namespace ?? ours;
  return [
    ...FLUX.flatMap(([manager, group, plural]): Source[] => {
      const name = marked(`${group}/name`);
      return name === undefined
        ? []
        : [{ manager, group, plural, name, namespaces: [marked(`${group}/namespace`) ?? own] }];
    }),
    ...(application === undefined
      ? []
      : [
          {
            manager: 'Argo CD',
            group: 'argoproj.io',
            plural: 'applications',
            name: application,
            namespaces: [ARGO_NAMESPACE, own],
          },
        ]),
  ];
}

/** Whether a source is not applied by itself now: Flux `suspend`; Argo CD without an automated sync policy, or skipped. */
function isPausedSource(manager: string, source: unknown): boolean {
  if (manager !== 'Argo CD') return valueAt(source, 'spec', 'suspend') === true;
  const isSkipped = textAt(source, 'metadata', 'annotations', 'argocd.argoproj.io/skip-reconcile') === 'true';
  return (
    isSkipped || (isObject(valueAt(source, 'spec')) && !isAutomated(valueAt(source, 'spec', 'syncPolicy', 'automated')))
  );
}

/** Newer versions have a switch inside. */
function isAutomated(automated: unknown): boolean {
  return isObject(automated) && automated['enabled'] !== false;
}

async function readSource(api: ClusterApi, source: Source, signal?: AbortSignal): Promise<unknown> {
  const { group, plural, name, namespaces } = source;
  const version = textAt(await api.get(`/apis/${group}`, signal), 'preferredVersion', 'version');
  for (const namespace of namespaces) {
    const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${encodeURIComponent(name)}`;
    const found = await api.get(path, signal).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The managers whose source of an object is paused. A source that Steward may not read counts as one that is not. */
export async function pausedSources(
  api: ClusterApi,
  object: ClusterObject,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const found = await Promise.all(
    sourcesOf(object, api.namespace).map(async (source) => {
      const read = await readSource(api, source, signal).catch(() => undefined);
      return isPausedSource(source.manager, read) ? [source.manager] : [];
    }),
  );
  return found.flat();
}
