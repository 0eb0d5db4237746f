import type { Upload } from '../../model/upload.ts';
import type { Uploads } from '../../system/uploads.ts';
import type { UploadAnswer } from '../../wire/answers/systemAnswers.ts';
import type { uploadOperations } from '../../wire/operations/uploadOperations.ts';
import type { Handlers } from '../server/handler.ts';
import { done } from '../server/handler.ts';

/** Shows an upload as the interface describes it. `committed` is always true: an upload is stored completely or not at all. */
function view({ id, name, description, created, contentType, size, owner, usedBy }: Upload): UploadAnswer {
  return {
    itemID: id,
    itemName: name,
    description,
    date: created,
    committed: true,
    contentType,
    size,
    owner,
    usedBy: usedBy ?? null,
  };
}

export function uploadHandlers(uploads: Uploads): Handlers<typeof uploadOperations> {
  return {
    async list() {
      return { body: { items: (await uploads.list()).map(view) } };
    },

    async upload({ actor, fields: { itemFile, description = '' } }) {
      const { size: _, owner: __, usedBy: ___, ...item } = view(await uploads.add(actor, { ...itemFile, description }));
      return done({ item });
    },

    async item({ path }) {
      return { body: view(await uploads.read(path['id'] ?? '')) };
    },

    async download({ path }) {
      const { name } = await uploads.read(path['id'] ?? '');
      return { body: {}, file: { name, bytes: await uploads.bytes(path['id'] ?? '') } };
    },

    async delete({ actor, path }) {
      await uploads.remove(actor, path['id'] ?? '');
      return done({});
    },
  };
}
