// Kubernetes Events about jobs: what `kubectl get events` shows to the operators of the cluster.
import type { JobNote } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import { MODE_MAP } from './objects.ts';

const REASONS: Readonly<Record<JobNote['kind'], string>> = {
  started: 'UpgradeStarted',
  succeeded: 'UpgradeSucceeded',
  failed: 'UpgradeFailed',
  undone: 'UpgradeRolledBack',
};
/** The server refuses a longer message. */
const MAX_MESSAGE = 1024;

/** Records a note. An event belongs to an object; the mode is the one that exists in every deployment. */
export async function recordEvent(api: ClusterApi, { kind, job, text }: JobNote, now: Date, signal?: AbortSignal) {
  const time = now.toISOString();
  const event = {
    kind: 'Event',
    metadata: {
      name: `steward-${job.toLowerCase().replaceAll(/[^a-z\d-]/g, '-')}-${kind}.${now.getTime().toString(16)}`,
    },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: MODE_MAP, namespace: api.namespace },
    reason: REASONS[kind],
    message: text.slice(0, MAX_MESSAGE),
    type: kind === 'failed' ? 'Warning' : 'Normal',
    source: { component: 'steward' },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
  await api.create(event, signal);
}
