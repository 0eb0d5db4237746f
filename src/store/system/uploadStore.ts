import type { UploadStore } from '../../system/uploadStore.ts';
import type { Upload } from '../../model/upload.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import type { Row, Script } from '../engine/script.ts';
import { integer, optionalText, row, rows, text } from '../engine/script.ts';

const COLUMNS = 'id, name, description, content_type, size, owner, created_at, used_by';

function uploadOf(found: Row): Upload {
  return {
    id: text(found, 'id'),
    name: text(found, 'name'),
    description: text(found, 'description'),
    contentType: text(found, 'content_type'),
    size: integer(found, 'size'),
    owner: text(found, 'owner'),
    created: integer(found, 'created_at'),
    usedBy: optionalText(found, 'used_by'),
  };
}

export function* insertUpload(upload: Upload, bytes: Buffer): Script<void> {
  const { id, name, description, contentType, size, owner, created } = upload;
  yield* rows(
    `insert into upload (id, name, description, content_type, size, owner, created_at, content)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    id,
    name,
    description,
    contentType,
    size,
    owner,
    created,
    bytes.toString('base64'),
  );
}

export function createUploadStore(needs: TableDependencies): UploadStore {
  const { engine, clock } = needs;
  const { forUpdate } = engine.dialect;
  return {
    addUpload: (by, bytes, decide) =>
      transaction(needs, { closedWhen: 'jobRuns' }, function* () {
        const seen = yield* row('select count(*) as unused from upload where used_by is null');
        const decision = decide({ unused: seen === undefined ? 0 : integer(seen, 'unused') });
        yield* insertUpload(decision.change, bytes);
        yield* recordDecision(by, clock.now(), decision);
        return decision.change;
      }),

    async uploads() {
      return (await engine.query(`select ${COLUMNS} from upload order by created_at, id`)).map(uploadOf);
    },

    async upload(id) {
      const [found] = await engine.query(`select ${COLUMNS} from upload where id = $1`, id);
      return found === undefined ? undefined : uploadOf(found);
    },

    async uploadBytes(id) {
      const [found] = await engine.query('select content from upload where id = $1', id);
      return found === undefined ? undefined : Buffer.from(text(found, 'content'), 'base64');
    },

    removeUpload: (id, by, decide) =>
      transaction(needs, { closedWhen: 'jobRuns' }, function* () {
        const found = yield* row(`select ${COLUMNS} from upload where id = $1${forUpdate}`, id);
        const decision = decide(found === undefined ? undefined : uploadOf(found));
        yield* rows('delete from upload where id = $1', id);
        yield* recordDecision(by, clock.now(), decision);
      }),

    async removeUnused(createdBefore) {
      const unused = 'used_by is null and created_at < $1';
      if ((await engine.query(`select 1 as yes from upload where ${unused} limit 1`, createdBefore)).length === 0)
        return;
      await transaction(needs, { closedWhen: 'never' }, () =>
        rows(`delete from upload where ${unused}`, createdBefore),
      );
    },
  };
}
