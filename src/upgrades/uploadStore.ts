import type { Actor } from '../foundation/actor.ts';
import type { Decision } from '../foundation/decision.ts';

/** A file that was sent ahead of the operation that will name it. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly contentType: string;
  readonly size: number;
  readonly owner: string;
  readonly created: number;
  /** The job that it was kept for; undefined while nobody uses it. */
  readonly usedBy: string | undefined;
}

/** Each method is one transaction. Replicas share no disk, so the bytes are in the store too. */
export interface UploadStore {
  addUpload(by: Actor, bytes: Buffer, decide: (seen: { readonly unused: number }) => Decision<Upload>): Promise<Upload>;
  uploads(): Promise<readonly Upload[]>;
  upload(id: string): Promise<Upload | undefined>;
  uploadBytes(id: string): Promise<Buffer | undefined>;
  removeUpload(id: string, by: Actor, decide: (found: Upload | undefined) => Decision<'remove'>): Promise<void>;
  /** Those that nobody uses. */
  removeUnused(createdBefore: number): Promise<void>;
}
