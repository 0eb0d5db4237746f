import type { Upload } from '../model/upload.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';

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
