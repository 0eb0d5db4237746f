import type { DocumentMap, DocumentStore } from '../../../src/foundation/documentStore.ts';

/** Documents in memory, for tests of a driver that needs no store. */
export function memoryDocuments(): DocumentStore {
  const documents = new Map<string, unknown>();
  const found = (prefixes: readonly string[]): DocumentMap =>
    new Map([...documents].filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix))));
  return {
    read: async (...prefixes) => found(prefixes),
    async change(prefixes, decide) {
      for (const [name, document] of decide(found(prefixes)))
        if (document === undefined) documents.delete(name);
        else documents.set(name, structuredClone(document));
    },
  };
}
