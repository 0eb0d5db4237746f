import type { ServiceChunk, FolderListing, CatalogListing } from '../../catalog/listing.ts';
import type { Visibility } from '../../catalog/visibility.ts';
import { isVisible } from '../../catalog/visibility.ts';
import { createBoundedCache } from '../../foundation/boundedCache.ts';
import { memoize } from '../../foundation/memoize.ts';
import { descriptionJson, descriptionXml } from '../../wire/soap/catalogMessages.ts';

const FORMATS = {
  xml: { describe: descriptionXml, separator: '' },
  json: { describe: descriptionJson, separator: ',' },
} as const;
const SLICE_MS = 8;
const VARIANTS_PER_CHUNK = 8;
const ANSWERS_PER_LISTING = 64;

/** Which rendering of a service is meant: it differs by format, by what the caller may see, and by the caller's address. */
export interface Variant {
  readonly format: keyof typeof FORMATS;
  readonly view: Visibility;
  readonly origin: string;
}

function renderChunk(chunk: ServiceChunk, { format, view, origin }: Variant): Buffer {
  const { describe, separator } = FORMATS[format];
  const visible = chunk.filter((service) => isVisible(service, view));
  return Buffer.from(visible.map((service) => describe(service, origin)).join(separator));
}

/** Renders the catalog to bytes: a chunk once for as long as it lives, a whole answer once for each listing. */
export function createCatalogRenderer() {
  const variantsOf = memoize((_chunk: ServiceChunk) => createBoundedCache<string, Buffer>(VARIANTS_PER_CHUNK));
  const answersOf = memoize((_listing: CatalogListing) =>
    createBoundedCache<string, Promise<Buffer>>(ANSWERS_PER_LISTING),
  );

  function chunkBytes(chunk: ServiceChunk, variant: Variant): Buffer {
    const key = `${variant.format} ${variant.view} ${variant.origin}`;
    return variantsOf(chunk).getOrCreate(key, () => renderChunk(chunk, variant));
  }

  return {
    /** Returns the answer that is cached under this key for this listing, or makes it. */
    answer(listing: CatalogListing, key: string, make: () => Promise<Buffer>): Promise<Buffer> {
      const cache = answersOf(listing);
      const known = cache.get(key);
      if (known !== undefined) return known;
      const made = make();
      made.catch(() => cache.delete(key));
      return cache.set(key, made);
    },

    /** Renders the services of some folders in slices, so that a large catalog does not block other requests. */
    async services(folders: readonly FolderListing[], variant: Variant, open: string, close: string): Promise<Buffer> {
      const separator = Buffer.from(FORMATS[variant.format].separator);
      const pieces: Buffer[] = [];
      let began = performance.now();
      for (const chunk of folders.flatMap(({ chunks }) => chunks)) {
        const bytes = chunkBytes(chunk, variant);
        // A chunk without visible services is empty, and must not add a separator.
        if (bytes.length > 0) pieces.push(...(pieces.length > 0 ? [separator, bytes] : [bytes]));
        if (performance.now() - began < SLICE_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
        began = performance.now();
      }
      return Buffer.concat([Buffer.from(open), ...pieces, Buffer.from(close)]);
    },
  };
}

export type CatalogRenderer = ReturnType<typeof createCatalogRenderer>;
