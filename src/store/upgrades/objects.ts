// The objects of versions: bundles as they came, and the sealed contents that a job needs to apply and to undo.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { CompressedBundle, UpgradeChange, UpgradeStore } from '../../upgrades/ports/upgradeStore.ts';
import { codec, integer, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import { resealed } from '../resealed.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';

const [gzip, gunzip] = [promisify(zlib.gzip), promisify(zlib.gunzip)];

const bundles = table('object_bundle', {
  checksum: text('checksum'),
  at: integer('at'),
  size: integer('size'),
  content: text('content'),
});
const putBundle = bundles.upserter('checksum');
const checksums = bundles.pick('checksum');
const packed = bundles.pick('content');

const contents = table('job_object', { job: text('job_id'), digest: text('digest'), content: text('content') });
const contentsOfJob = contents.omit('job');
const jobIds = contents.pick('job');
const resealedContents = codec({
  job: text('job_id'),
  digest: text('digest'),
  former: text('former'),
  content: text('content'),
});

/** One look at the index for each job, however many contents it has. */
const JOBS = `with recursive kept (job_id) as (
    select min(job_id) from job_object
    union all select (select min(job_id) from job_object where job_id > kept.job_id) from kept where kept.job_id is not null)
  select job_id from kept where job_id is not null`;

/** A statement of SQLite blocks the process; one of PostgreSQL is one message. */
const MOST_ROWS = 500;
const MOST_CHARACTERS = 4 * 1024 * 1024;
const RESEALED_AT_ONCE = 200;
const PAGE = `${contents.select} where (job_id, digest) > ($1, $2) order by job_id, digest limit ${RESEALED_AT_ONCE}`;

export function* keptBundles(): Script<ReadonlySet<string>> {
  return new Set((yield* checksums.all(checksums.select)).map(({ checksum }) => checksum));
}

export function* jobsWithContents(): Script<ReadonlySet<string>> {
  return new Set((yield* jobIds.all(JOBS)).map(({ job }) => job));
}

interface Content {
  readonly job: string;
  readonly digest: string;
  readonly content: string;
}

/** Groups with a bounded number of rows and of characters. A content that is larger is a group alone. */
function* groupsOf(all: readonly Content[]): Generator<readonly Content[]> {
  let group: Content[] = [];
  let characters = 0;
  for (const one of all) {
    if (group.length === MOST_ROWS || (group.length > 0 && characters + one.content.length > MOST_CHARACTERS)) {
      yield group;
      [group, characters] = [[], 0];
    }
    group.push(one);
    characters += one.content.length;
  }
  if (group.length > 0) yield group;
}

export function objectScripts(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { dialect } = engine;
  const insertContents = contents.batchInserter(dialect, 'on conflict (job_id, digest) do nothing');
  const dropOthers = `delete from job_object where not (job_id ${dialect.isIn('$1', 'text')})`;
  // Only if it is unchanged, and only if it is still there.
  const reseal = `update job_object set content = item.content from ${resealedContents.relation(dialect, '$1')}
    where job_object.job_id = item.job_id and job_object.digest = item.digest and job_object.content = item.former`;

  function* insertBundle({ checksum, size, gzip: bytes }: CompressedBundle): Script<void> {
    yield* putBundle({ checksum, at: clock.now(), size, content: bytes.toString('base64') });
  }

  return {
    *write({ addBundle: bundle, dropContents }: UpgradeChange): Script<void> {
      if (bundle !== undefined) yield* insertBundle(bundle);
      if (dropContents !== undefined) yield* rows(dropOthers, JSON.stringify(dropContents.except));
    },

    methods: {
      async keepBundle(checksum, bytes) {
        const bundle = { checksum, size: bytes.length, gzip: await gzip(bytes) };
        await transaction(dependencies, { closedWhen: 'never' }, () => insertBundle(bundle));
      },

      async bundle(checksum) {
        const found = await engine.read(packed.first(`${packed.select} where checksum = $1`, checksum));
        return found === undefined ? undefined : gunzip(Buffer.from(found.content, 'base64'));
      },

      keepContents: (job, added) =>
        transaction(dependencies, { closedWhen: 'never' }, function* () {
          const all = [...added].map(([digest, content]) => ({ job, digest, content }));
          for (const group of groupsOf(all)) yield* insertContents(group);
        }),

      async contents(job) {
        const found = await engine.read(contentsOfJob.all(`${contentsOfJob.select} where job_id = $1`, job));
        return new Map(found.map(({ digest, content }) => [digest, content]));
      },

      async resealContents(resealOne) {
        const counts = { resealed: 0, failed: 0 };
        for (let last = { job: '', digest: '' }; ;) {
          const page = await engine.read(contents.all(PAGE, last.job, last.digest));
          const results = page.map((one) => ({ one, result: resealed(resealOne, one.content) }));
          const changed = results.flatMap(({ one: { content: former, ...key }, result }) =>
            result.kind === 'resealed' && result.sealed !== undefined
              ? [{ ...key, former, content: result.sealed }]
              : [],
          );
          counts.failed += results.filter(({ result }) => result.kind === 'failed').length;
          counts.resealed += changed.length;
          if (changed.length > 0)
            await transaction(dependencies, { closedWhen: 'never' }, () =>
              rows(reseal, resealedContents.batch(dialect, changed)),
            );
          last = page.at(-1) ?? last;
          if (page.length < RESEALED_AT_ONCE) return counts;
        }
      },
    } satisfies Partial<UpgradeStore>,
  };
}
