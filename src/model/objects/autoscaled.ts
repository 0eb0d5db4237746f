// Workloads whose number of replicas an autoscaler sets, so that an apply leaves it alone.
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import type { BundleObject } from './bundleObject.ts';
import { kindOf } from './bundleObject.ts';

/** The workloads that autoscalers of a bundle target, as `Deployment/web`. */
export function autoscaledWorkloads(bundle: readonly BundleObject[]): ReadonlySet<string> {
  const scalers = bundle.filter(({ content }) => kindOf(content) === 'HorizontalPodAutoscaler');
  return new Set(
    scalers.map(({ content }) => {
      const target = valueAt(content, 'spec', 'scaleTargetRef');
      return `${String(valueAt(target, 'kind'))}/${String(valueAt(target, 'name'))}`;
    }),
  );
}

export function withoutReplicas(content: BundleObject['content']): BundleObject['content'] {
  const { spec } = content;
  if (!isObject(spec)) return content;
  const { replicas: _, ...rest } = spec;
  return { ...content, spec: rest };
}
