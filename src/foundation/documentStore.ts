/** Documents by name. In a change, an undefined document is removed. */
export type DocumentMap = ReadonlyMap<string, unknown>;

/** Stores small JSON documents that need no table. All replicas share them; a name begins with the name of its owner. */
export interface DocumentStore {
  /** Reads all documents whose names begin with one of the prefixes, ordered by name. */
  read(...prefixes: readonly string[]): Promise<DocumentMap>;
  /** Writes the changes that `decide` returns, in one transaction. `decide` may be called more than once. */
  change(prefixes: readonly string[], decide: (found: DocumentMap) => DocumentMap): Promise<void>;
}
