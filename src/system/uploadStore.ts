import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { Upload } from '../model/upload.ts';

/** Each method is one transaction. The store keeps the bytes too, because replicas share no disk. */
export interface UploadStore {
  addUpload(
    by: Actor,
    bytes: Buffer,
    decide: (snapshot: { readonly unused: number }) => Decision<Upload>,
  ): Promise<Upload>;
  uploads(): Promise<readonly Upload[]>;
  upload(id: string): Promise<Upload | undefined>;
  uploadBytes(id: string): Promise<Buffer | undefined>;
  removeUpload(id: string, by: Actor, decide: (found: Upload | undefined) => Decision<'remove'>): Promise<void>;
  /** Removes the uploads that no job uses. */
  removeUnused(createdBefore: number): Promise<void>;
}
