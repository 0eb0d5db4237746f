import type { SentUpload } from '../model/upload.ts';
import { newUpload } from '../model/upload.ts';
import type { Actor } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { UploadStore } from './uploadStore.ts';
import type { Upload } from '../model/upload.ts';

const UNUSED_KEPT_MS = DAY;
const UNUSED_AT_MOST = 50;

function notFound(id: string): StewardError {
  return new StewardError('notFound', `There is no upload ${id}. One that nobody uses is kept for 24 hours.`);
}

/** Files that operations name by their ids: licences, so far. */
export function createUploads(needs: { readonly store: UploadStore; readonly clock: Clock }) {
  const { store, clock } = needs;
  return {
    add(by: Actor, sent: SentUpload): Promise<Upload> {
      return store.addUpload(by, sent.bytes, ({ unused }) => {
        if (unused >= UNUSED_AT_MOST)
          throw new StewardError('conflict', `There are ${unused} uploads that nobody uses. Delete some first.`);
        const upload = newUpload(by, sent, clock.now());
        return {
          change: upload,
          announce: [],
          audit: [{ action: 'upload.add', target: `upload ${upload.id}`, after: upload }],
        };
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
          throw new StewardError('conflict', `The upload ${id} is kept for the job ${found.usedBy}.`);
        return {
          change: 'remove',
          announce: [],
          audit: [{ action: 'upload.delete', target: `upload ${id}`, before: found }],
        };
      });
    },

    runHousekeeping: (): Promise<void> => store.removeUnused(clock.now() - UNUSED_KEPT_MS),
  };
}

export type Uploads = ReturnType<typeof createUploads>;
