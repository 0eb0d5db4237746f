// Whether an object is ready, by the conventions that controllers follow (kstatus): the generation that they have seen, and conditions.
import type { ClusterObject } from '../../api/clusterApi.ts';
import { conditionOf, listAt, numberAt, textAt } from '../../api/objectFields.ts';
import { countRollout } from '../../rollout/gate.ts';
import { isWorkloadKind } from '../../workloads/podTemplate.ts';

export type Readiness = { readonly kind: 'ready' } | { readonly kind: 'waiting' | 'failed'; readonly why: string };

const READY: Readiness = { kind: 'ready' };

function waiting(why: string): Readiness {
  return { kind: 'waiting', why };
}

/** What a condition says: its reason and message. */
function said(condition: unknown): string {
  const [reason, message] = [textAt(condition, 'reason'), textAt(condition, 'message')];
  return [reason, message].filter((text) => text !== '').join(': ') || textAt(condition, 'type');
}

function statusOf(object: ClusterObject, type: string): string {
  return textAt(conditionOf(object, type), 'status');
}

/** The first of these conditions that is not true; conditions that are not there do not count, unless `isNeeded`. */
function untrue(object: ClusterObject, types: readonly string[], isNeeded = false): string | undefined {
  for (const type of types) {
    const condition = conditionOf(object, type);
    if (condition === undefined && isNeeded) return `the condition ${type} is not reported yet`;
    if (condition !== undefined && textAt(condition, 'status') !== 'True')
      return `${type} is ${textAt(condition, 'status') || 'unknown'}: ${said(condition)}`;
  }
  return undefined;
}

function definitionReadiness(object: ClusterObject): Readiness {
  const names = conditionOf(object, 'NamesAccepted');
  if (textAt(names, 'status') === 'False') return { kind: 'failed', why: `its names are not accepted: ${said(names)}` };
  const missing = untrue(object, ['Established'], true);
  return missing === undefined ? READY : waiting(missing);
}

/** A claim may wait for its first consumer, which comes after it. */
function claimReadiness({ status }: ClusterObject): Readiness {
  const phase = textAt(status, 'phase');
  if (phase === 'Lost') return { kind: 'failed', why: 'the volume of the claim is lost' };
  return phase === '' ? waiting('the claim is not seen yet') : READY;
}

/** Kinds that are ready as soon as they exist, whatever their status says about others. */
const AT_ONCE: ReadonlySet<string> = new Set([
  'Service',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'Ingress',
  'NetworkPolicy',
]);

const BY_KIND: Readonly<Record<string, (object: ClusterObject) => Readiness>> = {
  CustomResourceDefinition: definitionReadiness,
  PersistentVolumeClaim: claimReadiness,
  APIService(object) {
    const missing = untrue(object, ['Available'], true);
    return missing === undefined ? READY : waiting(missing);
  },
};

function isBuiltIn({ apiVersion = '' }: ClusterObject): boolean {
  return !apiVersion.includes('/') || !apiVersion.includes('.') || /\.k8s\.io\//.test(apiVersion);
}

function conditionsReadiness(object: ClusterObject): Readiness {
  const seen = numberAt(object.status, 'observedGeneration');
  if (seen !== undefined && seen < (object.metadata.generation ?? 0))
    return waiting('its controller has not seen the change yet');
  const stalled = conditionOf(object, 'Stalled');
  if (textAt(stalled, 'status') === 'True') return { kind: 'failed', why: `it is stalled: ${said(stalled)}` };
  if (statusOf(object, 'Reconciling') === 'True') return waiting(said(conditionOf(object, 'Reconciling')));
  const missing = untrue(object, ['Ready', 'Available']);
  return missing === undefined ? READY : waiting(missing);
}

/** Judges an object. `generation` is the one that an apply has made, if it is known. */
export function readinessOf(object: ClusterObject, generation?: number): Readiness {
  const { kind = '' } = object;
  if (generation !== undefined && (object.metadata.generation ?? 0) < generation)
    return waiting('the API server does not show the change yet');
  if (isBuiltIn(object) && isWorkloadKind(kind)) {
    const { missing } = countRollout(kind, object, generation);
    return missing === undefined ? READY : waiting(missing);
  }
  if (isBuiltIn(object) && AT_ONCE.has(kind)) return READY;
  const judge = isBuiltIn(object) ? BY_KIND[kind] : undefined;
  return judge === undefined ? conditionsReadiness(object) : judge(object);
}

/** What keeps an object that is being removed. */
export function endingReason(object: ClusterObject): string {
  const finalizers = listAt(object, 'metadata', 'finalizers').map(String);
  return finalizers.length === 0
    ? 'it is being removed'
    : `its removal waits for the finalizers ${finalizers.join(', ')}`;
}
