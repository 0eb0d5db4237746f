import type { ServiceChunk, FolderListing, CatalogListing } from '../../catalog/listing.ts';
import type { Visibility } from '../../catalog/visibility.ts';
import { isVisible } from '../../catalog/visibility.ts';
import { createBoundedCache } from '../../foundation/cache/boundedCache.ts';
import { memoize } from '../../foundation/cache/memoize.ts';
import type { Steps } from '../../foundation/flow/steps.ts';
import { inTurns } from '../../foundation/flow/steps.ts';
import { descriptionJson, descriptionXml } from '../../wire/soap/catalogMessages.ts';

const FORMATS = {
  xml: { describe: descriptionXml, separator: '' },
  json: { describe: descriptionJson, separator: ',' },
} as const;
const SLICE_MS = 8;
/** What an entry of a cache uses besides its bytes: its key and its place. */
const ENTRY_BYTES = 500;

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

/** Each rendering contains the address that the caller used, so a caller could otherwise fill the memory with new addresses. */
const MAX_CHUNK_BYTES = 32 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Gives each object a number, for as long as it lives: a cache with strings as keys does not keep the object itself. */
function createNumbers(): (one: object) => number {
  let last = 0;
  return memoize(() => (last += 1));
}

/** Renders the catalog to bytes: a chunk once for as long as it lives, a whole answer once for each listing. */
export function createCatalogRenderer({ maxChunkBytes = MAX_CHUNK_BYTES, maxAnswerBytes = MAX_ANSWER_BYTES } = {}) {
  const numberOf = createNumbers();
  const renderedChunks = createBoundedCache<string, Buffer>(Infinity, {
    maxBytes: maxChunkBytes,
    sizeOf: ({ length }) => length + ENTRY_BYTES,
  });
  const answers = createBoundedCache<string, Buffer>(Infinity, {
    maxBytes: maxAnswerBytes,
    // An answer may have a compressed copy.
    sizeOf: ({ length }) => 2 * length + ENTRY_BYTES,
  });
  const pending = new Map<string, Promise<Buffer>>();

  function chunkBytes(chunk: ServiceChunk, variant: Variant): Buffer {
    const key = `${numberOf(chunk)} ${variant.format} ${variant.view} ${variant.origin}`;
    return renderedChunks.getOrCreate(key, () => renderChunk(chunk, variant));
  }

  function* servicePieces(folders: readonly FolderListing[], variant: Variant): Steps<readonly Buffer[]> {
    const separator = Buffer.from(FORMATS[variant.format].separator);
    const pieces: Buffer[] = [];
    for (const chunk of folders.flatMap(({ chunks }) => chunks)) {
      const bytes = chunkBytes(chunk, variant);
      // A chunk without visible services is empty, and must not add a separator.
      if (bytes.length > 0) pieces.push(...(pieces.length > 0 ? [separator, bytes] : [bytes]));
      yield;
    }
    return pieces;
  }

  async function makeAnswer(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    try {
      return answers.set(key, await make());
    } finally {
      pending.delete(key);
    }
  }

  return {
    /** Returns the answer that is cached under this key for this listing, or makes it, once for all who wait for it. */
    async answer(listing: CatalogListing, name: string, make: () => Promise<Buffer>): Promise<Buffer> {
      const key = `${numberOf(listing)} ${name}`;
      const known = answers.get(key) ?? pending.get(key);
      if (known !== undefined) return known;
      const made = makeAnswer(key, make);
      pending.set(key, made);
      return made;
    },

    /** Renders the services of some folders in slices, so that a large catalog does not block other requests. */
    async services(folders: readonly FolderListing[], variant: Variant, open: string, close: string): Promise<Buffer> {
      const pieces = await inTurns(servicePieces(folders, variant), SLICE_MS);
      return Buffer.concat([Buffer.from(open), ...pieces, Buffer.from(close)]);
    },
  };
}

export type CatalogRenderer = ReturnType<typeof createCatalogRenderer>;
