import type { Inventory, Volumes } from './workload.ts';

export type VolumeRequest = Volumes[string];
export type PresentVolume = Inventory['volumes'][number];

const SIZE = /^(\d{1,12}(?:\.\d{1,6})?)(|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)$/;
const POWERS = ['', 'k', 'M', 'G', 'T', 'P'];

/** The size in bytes; undefined for a text that is not a size. */
function bytesOf(size: string): number | undefined {
  const [, digits, unit = ''] = SIZE.exec(size) ?? [];
  if (digits === undefined || Number(digits) === 0) return undefined;
  const power = POWERS.findIndex((letter) => letter.toLowerCase() === unit.replace('i', '').toLowerCase());
  return Number(digits) * (unit.endsWith('i') ? 1024 : 1000) ** power;
}

/** Why a volume cannot be created or expanded as requested. A volume can neither shrink nor change its storage class. */
export function volumeProblem(
  name: string,
  { size, storageClass }: VolumeRequest,
  present: PresentVolume | undefined,
): string | undefined {
  const bytes = size === undefined ? undefined : bytesOf(size);
  if (size !== undefined && bytes === undefined)
    return `the size "${size}" of ${name} is invalid; it must be a size such as 20Gi`;
  if (present === undefined) return size === undefined ? `${name} is new and has no size` : undefined;
  if (bytes !== undefined && bytes < (bytesOf(present.size) ?? 0))
    return `${name} has ${present.size} and cannot be reduced to ${size ?? ''}`;
  if (storageClass !== undefined && storageClass !== present.storageClass)
    return `${name} has the storage class ${present.storageClass}, which cannot be changed to ${storageClass}`;
  return undefined;
}

/** Says what a valid request does with a volume. */
export function volumeEffect(
  name: string,
  { size, storageClass }: VolumeRequest,
  present: PresentVolume | undefined,
): string {
  if (present === undefined) {
    const kind = storageClass === undefined ? '' : ` and the storage class ${storageClass}`;
    return `${name} is created with ${size ?? ''}${kind}`;
  }
  const isGrown = size !== undefined && (bytesOf(size) ?? 0) > (bytesOf(present.size) ?? 0);
  return isGrown ? `${name} grows from ${present.size} to ${size}` : `${name} stays at ${present.size}`;
}

/** Names every problem of a `volumesConfig`. */
export function volumeProblems(volumes: Volumes, present: Inventory['volumes']): readonly string[] {
  return Object.entries(volumes).flatMap(
    ([name, request]) =>
      volumeProblem(
        name,
        request,
        present.find((one) => one.name === name),
      ) ?? [],
  );
}

/** Whether a volume is as requested, so that there is nothing to do. */
export function volumeMatches({ size, storageClass }: VolumeRequest, present: PresentVolume | undefined): boolean {
  if (present === undefined) return false;
  const isLarge = size === undefined || (bytesOf(present.size) ?? 0) >= (bytesOf(size) ?? Number.POSITIVE_INFINITY);
  return isLarge && (storageClass === undefined || storageClass === present.storageClass);
}
