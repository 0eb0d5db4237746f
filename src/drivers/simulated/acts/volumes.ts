import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Volumes } from '../../../model/workload.ts';
import type { Snapshot, VolumeState } from '../state/documents.ts';
import { volumeIn, volumeName } from '../state/documents.ts';
import type { ActOf, BeginResult } from './beginResult.ts';
import { refused, started } from './beginResult.ts';

const SIZE = /^(\d{1,12}(?:\.\d{1,6})?)(|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)$/;
const POWERS = ['', 'k', 'M', 'G', 'T', 'P'];
const DEFAULT_CLASS = 'standard';

type VolumeRequest = Volumes[string];

/** The size in bytes; undefined for a text that is not a size. */
function bytesOf(size: string): number | undefined {
  const [, digits, unit = ''] = SIZE.exec(size) ?? [];
  if (digits === undefined || Number(digits) === 0) return undefined;
  const power = POWERS.findIndex((letter) => letter.toLowerCase() === unit.replace('i', '').toLowerCase());
  return Number(digits) * (unit.endsWith('i') ? 1024 : 1000) ** power;
}

function problemOf(
  name: string,
  { size, storageClass }: VolumeRequest,
  present: VolumeState | undefined,
): string | undefined {
  const bytes = size === undefined ? undefined : bytesOf(size);
  if (size !== undefined && bytes === undefined) return `the size "${size}" of ${name} is none, such as 20Gi`;
  if (present === undefined) return size === undefined ? `${name} is new and has no size` : undefined;
  if (bytes !== undefined && bytes < (bytesOf(present.size) ?? 0))
    return `${name} has ${present.size} and cannot be made smaller, to ${size ?? ''}`;
  if (storageClass !== undefined && storageClass !== present.storageClass)
    return `${name} is of the class ${present.storageClass} and cannot be moved to ${storageClass}`;
  return undefined;
}

function volumeMatches({ size, storageClass }: VolumeRequest, present: VolumeState | undefined): boolean {
  if (present === undefined) return false;
  const isLarge = size === undefined || (bytesOf(present.size) ?? 0) >= (bytesOf(size) ?? Number.POSITIVE_INFINITY);
  return isLarge && (storageClass === undefined || storageClass === present.storageClass);
}

export function volumesMatch(volumes: Volumes, documents: DocumentMap): boolean {
  return Object.entries(volumes).every(([name, request]) => volumeMatches(request, volumeIn(documents, name)));
}

/** Creates and grows volumes at once; a volume can neither shrink nor change its storage class. */
export function beginVolumes({ volumes }: ActOf<'volumes'>, { documents }: Snapshot): BeginResult {
  const requests = Object.entries(volumes).map(([name, request]) => ({
    name,
    request,
    present: volumeIn(documents, name),
  }));
  const problems = requests.flatMap(({ name, request, present }) => problemOf(name, request, present) ?? []);
  if (problems.length > 0)
    return refused({
      reason: `The simulated volumes cannot be changed so: ${problems.join('; ')}.`,
      lines: [],
      advice: 'Correct volumesConfig: give a new volume a size, ask for no less than there is, and start again.',
    });
  const changed = requests.filter(({ request, present }) => !volumeMatches(request, present));
  return started(
    changed.map(({ name, request, present }) => {
      const size = request.size ?? present?.size ?? '';
      const storageClass = request.storageClass ?? present?.storageClass ?? DEFAULT_CLASS;
      return [volumeName(name), { name, size, storageClass } satisfies VolumeState];
    }),
  );
}
