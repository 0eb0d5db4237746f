import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Running } from './support/running.ts';
import { cpuMicroseconds, openFolder, residentMb, startServer } from './support/running.ts';
import type { Bar } from './support/report.ts';
import { benchmark, best, printBars, progress, row, say, verdict } from './support/report.ts';
import type { Client } from './support/steward.ts';
import { post, startSteward } from './support/steward.ts';
import type { Load } from './support/wrk.ts';
import { sendLoad } from './support/wrk.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const ROUNDS = 5;
const SECONDS = 3;
const NOISE_AT_MOST = 1.6;
const DESCRIPTION = 'Answers questions about the parcels of the county';

interface Part extends Load {
  readonly name: string;
  readonly server: Running;
  readonly microseconds: number[];
  readonly perSecond: number[];
}

function startPeer(folder: string, answer: string, ...table: readonly string[]): Promise<Running> {
  const program = fileURLToPath(import.meta.resolve('./support/peer.js'));
  return startServer([program, answer, ...table], /^(http:\S+)\n/, join(folder, 'peer.log'));
}

/** The first start makes the store; each of the others finds it. The last one is left running. */
async function startWarm(folder: string): Promise<{ steward: Client; readyMs: number; mb: number }> {
  let steward = await startSteward(PROJECT, folder);
  const readyMs: number[] = [];
  const mb: number[] = [];
  for (let start = 0; start < ROUNDS; start += 1) {
    await steward.end();
    steward = await startSteward(PROJECT, folder);
    mb.push(residentMb(steward.pid));
    readyMs.push(steward.readyMs);
  }
  return { steward, readyMs: best(readyMs), mb: Math.max(...mb) };
}

function partOf(name: string, server: Running, load: Load): Part {
  return { name, server, ...load, microseconds: [], perSecond: [] };
}

/** Every peer answers the very bytes that Steward does. */
async function prepare(steward: Client, folder: string) {
  const { url, token } = steward;
  await post(
    `${url}/admin/services/createService`,
    new URLSearchParams({ token, serviceName: 'Bench', type: 'Query' }),
  );
  const read = { url: `${url}/admin/mode`, form: { token, f: 'json' } };
  const edit = {
    url: `${url}/admin/services/Bench.Query/edit`,
    form: { token, f: 'json', description: DESCRIPTION },
  };
  const bare = await startPeer(folder, await post(read.url, new URLSearchParams(read.form)));
  const durable = await startPeer(
    folder,
    await post(edit.url, new URLSearchParams(edit.form)),
    join(folder, 'peer.db'),
  );
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
  const noise = spread > NOISE_AT_MOST ? `the rounds of the bare server differ by ${spread.toFixed(2)} x` : undefined;
  return verdict('edge', bars, noise);
}

await benchmark('edge', () => run(openFolder(PROJECT)));
