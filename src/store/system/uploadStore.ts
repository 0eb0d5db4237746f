import type { Upload } from '../../model/upload.ts';
import type { UploadStore } from '../../system/uploadStore.ts';
import { integer, optional, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { row, rows } from '../engine/script.ts';
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
const content = text('content');
const uploadsWithContent = uploads.with({ content });

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
        const seen = yield* row('select count(*) as unused from upload where used_by is null');
        const decision = decide({ unused: seen === undefined ? 0 : integer('unused').read(seen) });
        yield* insertUpload(decision.change, bytes);
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    uploads: async () => uploads.readAll(await engine.query(`${uploads.select} order by created_at, id`)),

    upload: async (id) => uploads.readFirst(await engine.query(`${uploads.select} where id = $1`, id)),

    async uploadBytes(id) {
      const [found] = await engine.query('select content from upload where id = $1', id);
      return found === undefined ? undefined : Buffer.from(content.read(found), 'base64');
    },

    removeUpload: (id, by, decide) =>
      transaction(dependencies, { closedWhen: 'jobRuns' }, function* () {
        const found = uploads.readFirst(yield* rows(`${uploads.select} where id = $1${forUpdate}`, id));
        const decision = decide(found);
        yield* rows('delete from upload where id = $1', id);
        yield* recordDecision(by, clock.now(), decision);
      }),

    async removeUnused(createdBefore) {
      const unused = 'used_by is null and created_at < $1';
      // Read first, so that an idle server does not write.
      if ((await engine.query(`select 1 as yes from upload where ${unused} limit 1`, createdBefore)).length === 0)
        return;
      await transaction(dependencies, { closedWhen: 'never' }, () =>
        rows(`delete from upload where ${unused}`, createdBefore),
      );
    },
  };
}
