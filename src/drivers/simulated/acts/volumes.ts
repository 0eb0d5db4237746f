import type { DocumentMap } from '../../../foundation/documentStore.ts';
import { volumeMatches, volumeProblem } from '../../../model/volume.ts';
import type { Volumes } from '../../../model/workload.ts';
import type { Snapshot, VolumeState } from '../state/documents.ts';
import { volumeIn, volumeName } from '../state/documents.ts';
import type { ActOf, BeginResult } from './beginResult.ts';
import { refused, started } from './beginResult.ts';

const DEFAULT_CLASS = 'standard';

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
  const problems = requests.flatMap(({ name, request, present }) => volumeProblem(name, request, present) ?? []);
  if (problems.length > 0)
    return refused({
      reason: `volumesConfig cannot be applied to the simulated deployment: ${problems.join('; ')}.`,
      lines: [],
      advice:
        'Correct volumesConfig: a new volume needs a size, a size cannot be reduced, and a storage class cannot be changed.',
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
