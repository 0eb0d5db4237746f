// Makes a folder of test/fixtures/stores: `node scripts/earlierStore.mjs CHECKOUT NAME` starts the Steward of a checkout as a demo, fills
// its store over HTTP and keeps it, for SQLite and PostgreSQL. The store `full` has something of everything and was stopped;
// `unfinished` was killed in the middle of an upgrade. Needs Debian's postgresql.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { project } from './ready.mjs';
import { PASSWORDS, fillFull, fillUnfinished } from './stores/content.mjs';
import { readFacts } from './stores/facts.mjs';
import { startPostgres, startReceiver, startSteward } from './stores/servers.mjs';

const STORES = { full: { fill: fillFull, signal: 'SIGTERM' }, unfinished: { fill: fillUnfinished, signal: 'SIGKILL' } };
/** Documents repeat far apart in a store. Within the window of gzip, a file would be twice as large. */
const WIDE_WINDOW = { [constants.BROTLI_PARAM_LGWIN]: 22 };
const ENGINES = ['sqlite', 'postgres'];

/** SQLite reads what a killed process has left in the log, and writes all into one file. */
function copyOfSqlite(data) {
  const database = new DatabaseSync(join(data, 'steward.db'));
  const file = join(data, 'copy.db');
  database.exec(`vacuum into '${file}'`);
  database.close();
  return readFileSync(file);
}

/** Makes one store and returns its content with what the server answered about it before its end. */
async function makeStore(checkout, kind, engine, { folder, keyFile, postgres }) {
  const isPostgres = engine === 'postgres';
  const data = join(folder, `${kind}-${engine}`);
  if (isPostgres) postgres.create(kind);
  const store = isPostgres ? postgres.url(kind) : 'sqlite';
  const receiver = await startReceiver();
  const server = await startSteward(checkout, { data, store, keyFile, password: PASSWORDS.admin });
  /** What the test needs besides the answers: secrets, and requests that it repeats. */
  const notes = { passwords: PASSWORDS, tokens: [], secrets: {}, events: [], refused: [] };
  await STORES[kind].fill(server, receiver, notes);
  const facts = await readFacts(server, notes);
  await server.end(STORES[kind].signal);
  receiver.stop();
  return { facts, content: isPostgres ? postgres.dump(kind) : copyOfSqlite(data) };
}

async function makeStores(checkout, output) {
  const folder = mkdtempSync(join(tmpdir(), 'steward-earlier-'));
  // The account of PostgreSQL has its data in this folder.
  chmodSync(folder, 0o755);
  const keyFile = join(folder, 'master.key');
  writeFileSync(keyFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  const postgres = await startPostgres(join(folder, 'postgres'));
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim();
  const all = { full: {}, unfinished: {} };
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  copyFileSync(keyFile, join(output, 'master.key'));
  for (const kind of Object.keys(STORES)) {
    for (const engine of ENGINES) {
      const { facts, content } = await makeStore(checkout, kind, engine, { folder, keyFile, postgres });
      all[kind][engine] = facts;
      const file = `${kind}.${engine === 'postgres' ? 'postgres.sql' : 'sqlite'}.br`;
      writeFileSync(join(output, file), brotliCompressSync(content, { params: WIDE_WINDOW }));
    }
  }
  writeFileSync(join(output, 'facts.json'), `${JSON.stringify({ commit, madeAt: Date.now(), ...all })}\n`);
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

const [checkout, name] = process.argv.slice(2);
if (name === undefined) throw new Error('Usage: node scripts/earlierStore.mjs CHECKOUT NAME');
await makeStores(checkout, join(project, 'test', 'fixtures', 'stores', name));
