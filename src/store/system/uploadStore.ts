import type { Upload } from '../../model/upload.ts';
import type { UploadStore } from '../../system/uploadStore.ts';
import { integer, optional, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { numbers, row, rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';

const uploads = table('upload', {
  id: text('id'),
  name: text('name'),
  description: text('description'),
  contentType: text('content_type'),
  size: integer('size'),
  owner: text('owner'),
  created: integer('created_at'),
  usedBy: optional(text('used_by')),
});
const uploadsWithContent = uploads.with({ content: text('content') });
const contents = uploadsWithContent.pick('content');

export function* insertUpload(upload: Upload, bytes: Buffer): Script<void> {
  yield* uploadsWithContent.insert({ ...upload, usedBy: undefined, content: bytes.toString('base64') });
}

/** Implements the port for uploads. */
export function createUploadStore(dependencies: TableDependencies): UploadStore {
  const { engine, clock } = dependencies;
  const { forUpdate } = engine.dialect;
  return {
    addUpload: (by, bytes, decide) =>
      transaction(dependencies, { closedWhen: 'jobRuns' }, function* () {
        const [unused = 0] = yield* numbers('select count(*) from upload where used_by is null');
        const decision = decide({ unused });
        yield* insertUpload(decision.change, bytes);
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    uploads: () => engine.read(uploads.all(`${uploads.select} order by created_at, id`)),

    upload: (id) => engine.read(uploads.first(`${uploads.select} where id = $1`, id)),

    async uploadBytes(id) {
      const found = await engine.read(contents.first(`${contents.select} where id = $1`, id));
      return found === undefined ? undefined : Buffer.from(found.content, 'base64');
    },

    removeUpload: (id, by, decide) =>
      transaction(dependencies, { closedWhen: 'jobRuns' }, function* () {
        const decision = decide(yield* uploads.first(`${uploads.select} where id = $1${forUpdate}`, id));
        yield* rows('delete from upload where id = $1', id);
        yield* recordDecision(by, clock.now(), decision);
      }),

    async removeUnused(createdBefore) {
      const unused = 'used_by is null and created_at < $1';
      // Read first, so that an idle server does not write.
      if ((await engine.read(row(`select 1 as yes from upload where ${unused} limit 1`, createdBefore))) === undefined)
        return;
      await transaction(dependencies, { closedWhen: 'never' }, () =>
        rows(`delete from upload where ${unused}`, createdBefore),
      );
    },
  };
}
