import type { Clock } from '../foundation/clock.ts';
import { DAY } from '../foundation/clock.ts';
import { StewardError, noSuchId } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import { silentDecision } from '../model/decision.ts';
import type { SentUpload, Upload } from '../model/upload.ts';
import { newUpload } from '../model/upload.ts';
import type { UploadStore } from './uploadStore.ts';

const UNUSED_KEPT_MS = DAY;
const MAX_UNUSED = 50;

function notFound(id: string): StewardError {
  return noSuchId('upload', id, ' Unused uploads are deleted after 24 hours.');
}

/** Creates the area of uploads: files that operations refer to by id, such as licences. */
export function createUploads({ store, clock }: { readonly store: UploadStore; readonly clock: Clock }) {
  return {
    add(by: Actor, sent: SentUpload): Promise<Upload> {
      return store.addUpload(by, sent.bytes, ({ unused }) => {
        if (unused >= MAX_UNUSED)
          throw new StewardError('conflict', `The limit of ${unused} unused uploads is reached. Delete some first.`);
        const upload = newUpload(by, sent, clock.now());
        return silentDecision(upload, { action: 'upload.add', target: `upload ${upload.id}`, after: upload });
      });
    },

    list: (): Promise<readonly Upload[]> => store.uploads(),

    async read(id: string): Promise<Upload> {
      return (await store.upload(id)) ?? Promise.reject(notFound(id));
    },

    async bytes(id: string): Promise<Buffer> {
      return (await store.uploadBytes(id)) ?? Promise.reject(notFound(id));
    },

    async remove(by: Actor, id: string): Promise<void> {
      await store.removeUpload(id, by, (found) => {
        if (found === undefined) throw notFound(id);
        if (found.usedBy !== undefined)
          throw new StewardError(
            'conflict',
            `The upload ${id} is used by the job ${found.usedBy} and cannot be deleted.`,
          );
        return silentDecision('remove', { action: 'upload.delete', target: `upload ${id}`, before: found });
      });
    },

    /** Removes uploads that no job has used for a day. */
    runHousekeeping: (): Promise<void> => store.removeUnused(clock.now() - UNUSED_KEPT_MS),
  };
}

export type Uploads = ReturnType<typeof createUploads>;
