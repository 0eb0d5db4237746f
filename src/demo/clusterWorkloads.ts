import type { Found } from '../wire/documents/manifestContainer.ts';
import { isObject } from '../wire/documents/manifestContainer.ts';

const WAVE_BY_DEFAULT = 50;

function within(found: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at, key) => (isObject(at) ? at[key] : undefined), found);
}

function imagesOf(item: unknown): unknown {
  const spec = within(item, 'spec', 'template', 'spec');
  const lists = ['initContainers', 'containers'].map((kind) => within(spec, kind) ?? []);
  if (!isObject(spec) || !lists.every((list) => Array.isArray(list))) return undefined;
  return lists.flat().map((one: unknown) => ({ container: within(one, 'name'), image: within(one, 'image') }));
}

/** What is wrong is kept, so that the reader of inventories names it with all else. */
function workloadOf(item: unknown): unknown {
  const said = (name: string): unknown =>
    within(item, 'metadata', 'annotations', name) ?? within(item, 'metadata', 'labels', name);
  const name = within(item, 'metadata', 'name');
  const component = said('app.kubernetes.io/component') ?? name;
  const wave = said('steward/wave') ?? WAVE_BY_DEFAULT;
  return {
    name,
    component,
    module: said('app.kubernetes.io/part-of') ?? component,
    wave: typeof wave === 'string' && /^\d{1,9}$/.test(wave) ? Number(wave) : wave,
    images: imagesOf(item),
  };
}

/** Of what `kubectl get deployments,statefulsets -o json` prints, or of one object of it; undefined where it is not that. */
export function clusterWorkloads({ items, ...one }: Found): readonly unknown[] | undefined {
  if (Array.isArray(items)) return items.map(workloadOf);
  return typeof one['kind'] === 'string' ? [workloadOf(one)] : undefined;
}
