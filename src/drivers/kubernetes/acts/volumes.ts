// Volumes are claims: a missing one is created, and one that is too small is expanded if its storage class allows that.
import type { Failure } from '../../../model/failure.ts';
import { DeploymentRefusal } from '../../../model/failure.ts';
import type { Volumes } from '../../../model/workload.ts';
import type { Begun, Observation } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { asRefusal } from '../api/apiError.ts';
import { textAt } from '../api/objectFields.ts';
import { FIELD_MANAGER } from '../workloads/labels.ts';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  Pi: 1024 ** 5,
};

export function bytesOf(size: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(size) ?? [];
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}

export function volumeOf(claim: ClusterObject): {
  readonly name: string;
  readonly size: string;
  readonly storageClass: string;
} {
  return {
    name: claim.metadata.name,
    size: textAt(claim.status, 'capacity', 'storage') || textAt(claim.spec, 'resources', 'requests', 'storage'),
    storageClass: textAt(claim.spec, 'storageClassName'),
  };
}

async function applyVolume(
  api: ClusterApi,
  name: string,
  { size, storageClass }: Volumes[string],
  { isDryRun, signal }: { readonly isDryRun: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const spec = {
    ...(size !== undefined && { resources: { requests: { storage: size } } }),
    ...(storageClass !== undefined && { storageClassName: storageClass }),
  };
  const present = await api.read('PersistentVolumeClaim', name, signal);
  const isLargeEnough = present !== undefined && size !== undefined && bytesOf(volumeOf(present).size) >= bytesOf(size);
  if (isLargeEnough) return;
  const claim = {
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: present === undefined ? { accessModes: ['ReadWriteOnce'], ...spec } : spec,
  };
  try {
    await api.apply(claim, { manager: FIELD_MANAGER, force: true, isDryRun }, signal);
  } catch (error) {
    throw asRefusal(error, `the change of the volume ${name}`);
  }
}

export async function beginVolumes(api: ClusterApi, volumes: Volumes, signal?: AbortSignal): Promise<Begun> {
  for (const [name, volume] of Object.entries(volumes))
    await applyVolume(api, name, volume, { isDryRun: false, signal });
  return { kind: 'begun' };
}

/** Says why a volume would not be created or expanded: a storage class that cannot expand, for example. */
export async function rehearseVolumes(
  api: ClusterApi,
  volumes: Volumes,
  signal?: AbortSignal,
): Promise<Failure | undefined> {
  try {
    for (const [name, volume] of Object.entries(volumes))
      await applyVolume(api, name, volume, { isDryRun: true, signal });
    return undefined;
  } catch (error) {
    if (error instanceof DeploymentRefusal) return error.failure;
    throw error;
  }
}

function growing(name: string, detail: string): Observation {
  const advice = `Read what the storage says about the claim: kubectl describe pvc ${name}.`;
  return { state: 'running', detail, trouble: { reason: `${detail}.`, lines: [], advice } };
}

/** A claim that waits for its first consumer is as ready as it can be. */
export async function observeVolumes(api: ClusterApi, volumes: Volumes, signal?: AbortSignal): Promise<Observation> {
  const { items } = await api.list('PersistentVolumeClaim', undefined, signal);
  for (const [name, { size }] of Object.entries(volumes)) {
    const claim = items.find((one) => one.metadata.name === name);
    if (claim === undefined) return { state: 'absent' };
    const requested = textAt(claim.spec, 'resources', 'requests', 'storage');
    if (size !== undefined && bytesOf(requested) < bytesOf(size)) return { state: 'absent' };
    const capacity = textAt(claim.status, 'capacity', 'storage');
    const isBound = textAt(claim.status, 'phase') === 'Bound';
    if (isBound && size !== undefined && bytesOf(capacity) < bytesOf(size))
      return growing(name, `the volume ${name} has ${capacity} of ${size}`);
  }
  return { state: 'done', lines: [] };
}
