import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLongJob } from './longJob.ts';
import type { Found, Places, StoreName } from './places.ts';
import { STORES } from './places.ts';
import { best, median, progress, row, say } from './report.ts';
import type { Running } from './running.ts';
import { cpuMicroseconds } from './running.ts';
import type { Client } from './steward.ts';
import { startPeer } from './steward.ts';
import type { Load } from './wrk.ts';
import { sendLoad } from './wrk.ts';

const [FEW, MANY] = [100, 10_000];
const ROUNDS = 5;
const SECONDS = 2;
const MORE = 30;
const NOISE_AT_MOST = 1.6;

interface Part extends Load {
  readonly name: string;
  readonly server: Running;
  readonly microseconds: number[];
  readonly perSecond: number[];
}

interface Whole {
  readonly bytes: Buffer;
  readonly tag: string;
}

async function readWhole({ url, token }: Client): Promise<Whole> {
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' };
  const response = await fetch(`${url}/admin/system/upgrades?f=json`, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status } = JSON.parse(bytes.toString()) as { readonly status: { readonly messages: readonly object[] } };
  if (status.messages.length < MANY) throw new Error(`the status has ${status.messages.length} messages`);
  return { bytes, tag: response.headers.get('etag') ?? '' };
}

async function mustBeUnchanged({ url, headers = {} }: Load): Promise<void> {
  const { status } = await fetch(url, { headers });
  if (status !== 304) throw new Error(`an unchanged status answers ${status}`);
}

function partOf(name: string, server: Running, load: Load): Part {
  return { name, server, ...load, microseconds: [], perSecond: [] };
}

async function partsOf(steward: Client, folder: string) {
  const { bytes, tag } = await readWhole(steward);
  const file = join(folder, 'status.json');
  writeFileSync(file, bytes);
  const bare = await startPeer(folder, 'fastify', file);
  const url = `${steward.url}/admin/system/upgrades?f=json`;
  const headers = { Authorization: `Bearer ${steward.token}` };
  const unchanged = partOf('status, unchanged', steward, { url, headers: { ...headers, 'If-None-Match': tag } });
  await mustBeUnchanged(unchanged);
  return {
    bytes: bytes.length,
    bare: partOf('bare Fastify, the same bytes', bare, { url: `${bare.url}/`, headers }),
    status: partOf('status', steward, { url, headers }),
    health: partOf('GET /healthz', steward, { url: `${steward.url}/healthz` }),
    unchanged,
  };
}

type Parts = Awaited<ReturnType<typeof partsOf>>;
const listed = ({ bare, status, health, unchanged }: Parts): readonly Part[] => [bare, status, health, unchanged];

async function measure(part: Part, folder: string): Promise<void> {
  const before = cpuMicroseconds(part.server.pid);
  const { requests, perSecond } = await sendLoad(part, SECONDS, folder);
  part.microseconds.push((cpuMicroseconds(part.server.pid) - before) / requests);
  part.perSecond.push(perSecond);
}

interface More {
  readonly few: number;
  readonly many: number;
  /** How many messages were read for one that is new. */
  readonly readEach: number;
}

/** What it takes to write a status out again after each of some messages; the place keeps the job with many. */
async function measureMore(places: Places, project: string, store: StoreName, name: string) {
  const small = await openLongJob(project, await places.place(store, `${name}_few`), FEW);
  const few = median(await small.readMore(MORE));
  await small.end();
  const place = await places.place(store, name);
  const large = await openLongJob(project, place, MANY);
  const many = median(await large.readMore(MORE));
  const more: More = { few, many, readEach: large.asked() / MORE };
  await large.end();
  return { place, more };
}

async function measureOn(places: Places, project: string, folder: string, store: StoreName) {
  progress(`a job with ${MANY} messages on ${store} …`);
  const { place, more } = await measureMore(places, project, store, `status_${store.toLowerCase()}`);
  const steward = await places.start(place);
  const parts = await partsOf(steward, folder);
  for (const part of listed(parts)) await sendLoad(part, 1, folder);
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`round ${round} of ${ROUNDS} …`);
    for (const part of listed(parts)) await measure(part, folder);
  }
  await Promise.all([steward.end(), parts.bare.server.end()]);
  return { store, parts, more };
}

function print(store: StoreName, parts: Parts, { few, many, readEach }: More): void {
  const size = (parts.bytes / 1e6).toFixed(2);
  say(
    `\nThe status with ${MANY} messages on ${store}, ${size} MB: CPU time, best of ${ROUNDS} rounds of ${SECONDS} s\n`,
  );
  say(row('part', 'µs/request', 'worst µs', 'requests/s'));
  for (const { name, microseconds, perSecond } of listed(parts))
    say(
      row(name, best(microseconds).toFixed(1), Math.max(...microseconds).toFixed(1), Math.max(...perSecond).toFixed(0)),
    );
  say(`\nafter one more message, median of ${MORE}: ${readEach.toFixed(1)} messages are read from the store;`);
  say(`the status takes ${few.toFixed(2)} ms of CPU with ${FEW} messages, ${many.toFixed(2)} ms with ${MANY}`);
}

export async function measureStatus(places: Places, project: string, folder: string): Promise<Found> {
  const all: Awaited<ReturnType<typeof measureOn>>[] = [];
  for (const store of STORES) all.push(await measureOn(places, project, folder, store));
  const spread = Math.max(
    ...all.map(({ parts }) => Math.max(...parts.bare.microseconds) / best(parts.bare.microseconds)),
  );
  return {
    bars: all.flatMap(({ store, parts: { bare, status, health, unchanged }, more }) => [
      {
        name: `status against bare, ${store}`,
        measured: best(status.microseconds) / best(bare.microseconds),
        atMost: 1.5,
        unit: 'x',
      },
      {
        name: `unchanged against healthz, ${store}`,
        measured: best(unchanged.microseconds) / best(health.microseconds),
        atMost: 2,
        unit: 'x',
      },
      { name: `messages read for a new one, ${store}`, measured: more.readEach, atMost: 1, unit: '' },
    ]),
    noise: spread > NOISE_AT_MOST ? `the rounds of the bare server differ by ${spread.toFixed(2)} x` : undefined,
    print() {
      for (const { store, parts, more } of all) print(store, parts, more);
    },
  };
}
