export type DocumentMap = ReadonlyMap<string, unknown>;

/** Small documents by name, shared by all replicas, for what needs no table of its own. Names begin with their owner's. */
export interface DocumentStore {
  /** All whose names begin so, in the order of their names. */
  read(...prefixes: readonly string[]): Promise<DocumentMap>;
  /** One transaction: what `decide` answers is written, and what it answers as undefined is removed. It may be called again. */
  change(prefixes: readonly string[], decide: (found: DocumentMap) => DocumentMap): Promise<void>;
}
