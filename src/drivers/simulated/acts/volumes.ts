import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Failure } from '../../../upgrades/ports/deployment.ts';
import type { Volumes } from '../../../model/workload.ts';
import type { VolumeState } from '../state/documents.ts';
import { volumeName } from '../state/documents.ts';

const SIZE = /^(\d{1,12}(?:\.\d{1,6})?)(|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)$/;
const POWERS = ['', 'k', 'M', 'G', 'T', 'P'];
const DEFAULT_CLASS = 'standard';

/** In bytes; undefined where it is no size. */
function sizeOf(size: string): number | undefined {
  const [, digits, unit = ''] = SIZE.exec(size) ?? [];
  if (digits === undefined || Number(digits) === 0) return undefined;
  const power = POWERS.findIndex((letter) => letter.toLowerCase() === unit.replace('i', '').toLowerCase());
  return Number(digits) * (unit.endsWith('i') ? 1024 : 1000) ** power;
}

type VolumeRequest = Volumes[string];

function problemOf(
  name: string,
  { size, storageClass }: VolumeRequest,
  found: VolumeState | undefined,
): string | undefined {
  const bytes = size === undefined ? undefined : sizeOf(size);
  if (size !== undefined && bytes === undefined) return `the size "${size}" of ${name} is none, such as 20Gi`;
  if (found === undefined) return size === undefined ? `${name} is new and has no size` : undefined;
  if (bytes !== undefined && bytes < (sizeOf(found.size) ?? 0))
    return `${name} has ${found.size} and cannot be made smaller, to ${size ?? ''}`;
  if (storageClass !== undefined && storageClass !== found.storageClass)
    return `${name} is of the class ${found.storageClass} and cannot be moved to ${storageClass}`;
  return undefined;
}

function volumeIn(found: DocumentMap, name: string): VolumeState | undefined {
  return found.get(volumeName(name)) as VolumeState | undefined;
}

/** What is written to make or grow them, or why that cannot be. */
export function volumeChanges(wanted: Volumes, found: DocumentMap): DocumentMap | Failure {
  const problems = Object.entries(wanted).flatMap(([name, one]) => problemOf(name, one, volumeIn(found, name)) ?? []);
  if (problems.length > 0)
    return {
      reason: `The simulated volumes cannot be changed so: ${problems.join('; ')}.`,
      lines: [],
      advice: 'Correct volumesConfig: give a new volume a size, ask for no less than there is, and start again.',
    };
  return new Map(
    Object.entries(wanted)
      .filter(([name, one]) => !volumeMatches(one, volumeIn(found, name)))
      .map(([name, { size, storageClass }]) => {
        const before = volumeIn(found, name);
        return [
          volumeName(name),
          {
            name,
            size: size ?? before?.size ?? '',
            storageClass: storageClass ?? before?.storageClass ?? DEFAULT_CLASS,
          } satisfies VolumeState,
        ];
      }),
  );
}

function volumeMatches({ size, storageClass }: VolumeRequest, found: VolumeState | undefined): boolean {
  if (found === undefined) return false;
  const isLarge = size === undefined || (sizeOf(found.size) ?? 0) >= (sizeOf(size) ?? Number.POSITIVE_INFINITY);
  return isLarge && (storageClass === undefined || storageClass === found.storageClass);
}

export function volumesMatch(wanted: Volumes, found: DocumentMap): boolean {
  return Object.entries(wanted).every(([name, one]) => volumeMatches(one, volumeIn(found, name)));
}
