import type { ServiceChunk, FolderListing, CatalogListing } from '../../catalog/listing.ts';
import type { Visibility } from '../../catalog/visibility.ts';
import { isVisible } from '../../catalog/visibility.ts';
import { descriptionJson, descriptionXml } from '../../wire/soap/catalogMessages.ts';

const RENDERERS = { xml: descriptionXml, json: descriptionJson } as const;
const SLICE_MS = 8;
const KEPT_OF_A_CHUNK = 8;
const KEPT_OF_A_LISTING = 64;

interface RenderOptions {
  readonly as: keyof typeof RENDERERS;
  readonly view: Visibility;
  readonly origin: string;
}

/** Keeps the newest few; a listing or a chunk that is gone takes its own with it. */
function keep<T>(kept: Map<string, T>, key: string, value: T, atMost: number): T {
  const [oldest] = kept.keys();
  if (kept.size >= atMost && oldest !== undefined) kept.delete(oldest);
  kept.set(key, value);
  return value;
}

function mapOf<K extends object, T>(cache: WeakMap<K, Map<string, T>>, owner: K): Map<string, T> {
  let kept = cache.get(owner);
  if (kept === undefined) {
    kept = new Map();
    cache.set(owner, kept);
  }
  return kept;
}

/** Bytes of the catalog: of a chunk made once for as long as it lives, of a whole answer once for each listing. */
export function createCatalogRenderer() {
  const chunks = new WeakMap<ServiceChunk, Map<string, Buffer>>();
  const answers = new WeakMap<CatalogListing, Map<string, Promise<Buffer>>>();

  function chunkBytes(chunk: ServiceChunk, { as, view, origin }: RenderOptions): Buffer {
    const kept = mapOf(chunks, chunk);
    const key = `${as} ${view} ${origin}`;
    const visible = () =>
      chunk.filter((service) => isVisible(service, view)).map((service) => RENDERERS[as](service, origin));
    return kept.get(key) ?? keep(kept, key, Buffer.from(visible().join('')), KEPT_OF_A_CHUNK);
  }

  /** In slices, so that a catalog of any size never holds up the others. */
  async function pieces(folders: readonly FolderListing[], wanted: RenderOptions): Promise<readonly Buffer[]> {
    const made: Buffer[] = [];
    let began = performance.now();
    for (const { chunks: parts } of folders) {
      for (const chunk of parts) {
        made.push(chunkBytes(chunk, wanted));
        if (performance.now() - began < SLICE_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
        began = performance.now();
      }
    }
    return made;
  }

  return {
    /** The answer under this key for this listing, made when it is first asked for. */
    answer(listing: CatalogListing, key: string, make: () => Promise<Buffer>): Promise<Buffer> {
      const kept = mapOf(answers, listing);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const made = make();
      made.catch(() => kept.delete(key));
      return keep(kept, key, made, KEPT_OF_A_LISTING);
    },

    async services(
      folders: readonly FolderListing[],
      wanted: RenderOptions,
      open: string,
      close: string,
    ): Promise<Buffer> {
      const made = await pieces(folders, wanted);
      return Buffer.concat([Buffer.from(open), ...made, Buffer.from(close)]);
    },
  };
}

export type CatalogRenderer = ReturnType<typeof createCatalogRenderer>;
