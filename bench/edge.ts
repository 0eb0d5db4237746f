import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Running } from './support/running.ts';
import { cpuMicroseconds, openFolder, residentMb, startServer } from './support/running.ts';
import type { Load } from './support/wrk.ts';
import { hasWrk, sendLoad } from './support/wrk.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const ROUNDS = 5;
const SECONDS = 3;
const NOISE_AT_MOST = 1.6;
const ADMIN = { username: 'admin', password: 'correct horse battery' };
const DESCRIPTION = 'Answers questions about the parcels of the county';

interface Part extends Load {
  readonly name: string;
  readonly server: Running;
  readonly microseconds: number[];
  readonly perSecond: number[];
}

interface Bar {
  readonly name: string;
  readonly measured: number;
  readonly atMost: number;
  readonly unit: string;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const progress = (text: string): void => void process.stderr.write(`${text}\n`);
const best = (values: readonly number[]): number => Math.min(...values);

function startSteward(folder: string): Promise<Running> {
  return startServer(
    [join(PROJECT, 'dist', 'steward.js'), 'serve', '--port', '0', '--data', join(folder, 'data')],
    /Catalog +(\S+)\/services[^]*Stop with/,
    join(folder, 'steward.log'),
    {
      NO_COLOR: '1',
      STEWARD_ADMIN_PASSWORD: ADMIN.password,
      STEWARD_LOG_FORMAT: 'json',
      STEWARD_LOG_LEVEL: 'info',
    },
  );
}

function startPeer(folder: string, answer: string, ...table: readonly string[]): Promise<Running> {
  const program = fileURLToPath(import.meta.resolve('./support/peer.js'));
  return startServer([program, answer, ...table], /^(http:\S+)\n/, join(folder, 'peer.log'));
}

async function post(url: string, form: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

/** The first start makes the store; each of the others finds it. The last one is left running. */
async function startWarm(folder: string): Promise<{ steward: Running; readyMs: number; mb: number }> {
  let steward = await startSteward(folder);
  const readyMs: number[] = [];
  const mb: number[] = [];
  for (let start = 0; start < ROUNDS; start += 1) {
    await steward.end();
    steward = await startSteward(folder);
    mb.push(residentMb(steward.pid));
    readyMs.push(steward.readyMs);
  }
  return { steward, readyMs: best(readyMs), mb: Math.max(...mb) };
}

function partOf(name: string, server: Running, load: Load): Part {
  return { name, server, ...load, microseconds: [], perSecond: [] };
}

/** Every peer answers the very bytes that Steward does. */
async function prepare(steward: Running, folder: string) {
  const { url } = steward;
  const { token } = JSON.parse(await post(`${url}/tokens/generateToken`, ADMIN)) as { readonly token: string };
  await post(`${url}/admin/services/createService`, { token, serviceName: 'Bench', type: 'Query' });
  const read = { url: `${url}/admin/mode`, form: { token, f: 'json' } };
  const edit = {
    url: `${url}/admin/services/Bench.Query/edit`,
    form: { token, f: 'json', description: DESCRIPTION },
  };
  const bare = await startPeer(folder, await post(read.url, read.form));
  const durable = await startPeer(folder, await post(edit.url, edit.form), join(folder, 'peer.db'));
  return {
    bare: partOf('bare node:http', bare, { ...read, url: bare.url }),
    health: partOf('GET /healthz', steward, { url: `${url}/healthz` }),
    read: partOf('POST mode, reads', steward, read),
    durable: partOf('bare with SQLite, full', durable, { ...edit, url: durable.url }),
    edit: partOf('POST edit, changes', steward, edit),
  };
}

async function measure(part: Part, folder: string): Promise<void> {
  const before = cpuMicroseconds(part.server.pid);
  const { requests, perSecond } = await sendLoad(part, SECONDS, folder);
  part.microseconds.push((cpuMicroseconds(part.server.pid) - before) / requests);
  part.perSecond.push(perSecond);
}

function row(name: string, ...cells: readonly string[]): string {
  return name.padEnd(30) + cells.map((cell) => cell.padStart(12)).join('');
}

function printParts(parts: readonly Part[], bare: number): void {
  say(`\nCPU time of the server process, best of ${ROUNDS} rounds of ${SECONDS} s\n`);
  say(row('part', 'µs/request', 'x bare', 'worst µs', 'requests/s'));
  for (const { name, microseconds, perSecond } of parts) {
    const least = best(microseconds);
    say(
      row(
        name,
        least.toFixed(1),
        (least / bare).toFixed(2),
        Math.max(...microseconds).toFixed(1),
        Math.max(...perSecond).toFixed(0),
      ),
    );
  }
}

function printBars(bars: readonly Bar[]): void {
  say(`\n${row('bar', 'measured', 'at most')}`);
  for (const { name, measured, atMost, unit } of bars) {
    const digits = unit === 'x' ? 2 : 0;
    const cells = [measured, atMost].map((value) => `${value.toFixed(digits)} ${unit}`);
    say(row(name, ...cells, measured <= atMost ? 'ok' : 'MISSED'));
  }
}

/** Answers the exit code. */
async function run(folder: string): Promise<number> {
  progress('starting six times …');
  const { steward, readyMs, mb } = await startWarm(folder);
  const named = await prepare(steward, folder);
  const parts = Object.values(named);
  progress('warming up …');
  for (const part of parts) await sendLoad(part, SECONDS, folder);
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`round ${round} of ${ROUNDS} …`);
    for (const part of parts) await measure(part, folder);
  }
  const bare = best(named.bare.microseconds);
  const bars: readonly Bar[] = [
    { name: 'POST mode against bare', measured: best(named.read.microseconds) / bare, atMost: 2.75, unit: 'x' },
    {
      name: 'POST edit against SQLite',
      measured: best(named.edit.microseconds) / best(named.durable.microseconds),
      atMost: 2,
      unit: 'x',
    },
    { name: 'warm start', measured: readyMs, atMost: 1000, unit: 'ms' },
    { name: 'memory after a warm start', measured: mb, atMost: 150, unit: 'MB' },
  ];
  printParts(parts, bare);
  printBars(bars);
  say(`\nmemory after the load: ${residentMb(steward.pid).toFixed(0)} MB`);
  await Promise.all([steward, named.bare.server, named.durable.server].map((server) => server.end()));
  const spread = Math.max(...named.bare.microseconds) / bare;
  if (spread > NOISE_AT_MOST) {
    say(`edge: too noisy: the rounds of the bare server differ by ${spread.toFixed(2)} x; run it again`);
    return 3;
  }
  const missed = bars.filter(({ measured, atMost }) => measured > atMost);
  say(missed.length === 0 ? 'edge: ok' : `edge: FAILED: ${missed.map(({ name }) => name).join(', ')}`);
  return missed.length === 0 ? 0 : 1;
}

if (!hasWrk()) {
  progress("The load comes from wrk: install Debian's wrk.");
  process.exit(2);
}
try {
  process.exit(await run(openFolder(PROJECT)));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  progress(reason);
  say(`edge: FAILED: ${reason.split('\n', 1)[0]}`);
  process.exit(1);
}
