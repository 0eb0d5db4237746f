// What registries tell about images: whether they exist, and which other digests are the same image.
import { createBoundedCache } from '../../../foundation/cache/boundedCache.ts';
import { mapInParallel } from '../../../foundation/flow/mapInParallel.ts';
import type { Image } from '../../../model/workload.ts';
import type { ImageFinding } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { parseReference } from './imageReference.ts';
import { credentialsOf } from './pullCredentials.ts';
import type { Credentials } from './credentials.ts';
import type { RegistryClient } from './registryClient.ts';

/** Whether a digest is known to be that of the image with this checksum. */
export type IsSameImage = (checksum: string, digest: string) => boolean;

const MAX_KNOWN = 5000;

export function createImageFinder(api: ClusterApi, registry: Pick<RegistryClient, 'find'>) {
  const aliases = createBoundedCache<string, ReadonlySet<string>>(MAX_KNOWN);

  async function findingOf(image: Image, credentials: Credentials, signal?: AbortSignal): Promise<ImageFinding> {
    const reference = parseReference(image.image);
    const answer = await registry.find(reference, { credentials }, signal);
    if (answer.kind === 'absent') {
      // The tag with another digest explains more than the absence of this one.
      const { tag, digest: pinned } = reference;
      if (tag === undefined || pinned === undefined) return answer;
      const tagged = await registry.find({ ...reference, digest: undefined }, { credentials }, signal);
      return tagged.kind === 'found' ? { kind: 'differs', found: tagged.digest } : answer;
    }
    if (answer.kind !== 'found') return answer;
    const { digest, aliases: others } = answer;
    const isSame = image.checksum === undefined || digest === image.checksum || others.includes(image.checksum);
    return isSame ? { kind: 'found', aliases: others } : { kind: 'differs', found: digest };
  }

  return {
    async find(images: readonly Image[], workloads: readonly FoundWorkload[], signal?: AbortSignal) {
      const credentials = await credentialsOf(api, workloads, signal);
      return mapInParallel(images, (image) => findingOf(image, credentials, signal));
    },

    isSame: (checksum: string, digest: string): boolean =>
      checksum === digest || aliases.get(checksum)?.has(digest) === true,

    /** Asks the registry which digests are this image. False if it does not answer; one that lacks the image proves none. */
    async learn(image: Image, workloads: readonly FoundWorkload[], signal?: AbortSignal): Promise<boolean> {
      const { checksum } = image;
      if (checksum === undefined) return false;
      if (aliases.get(checksum) !== undefined) return true;
      const credentials = await credentialsOf(api, workloads, signal);
      const reference = { ...parseReference(image.image), digest: checksum };
      const answer = await registry.find(reference, { credentials, isDeep: true }, signal);
      if (answer.kind === 'found') aliases.set(checksum, new Set(answer.aliases));
      return answer.kind !== 'unknown';
    },
  };
}

export type ImageFinder = ReturnType<typeof createImageFinder>;
