import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Publishing } from './support/publishing.ts';
import { measurePublishing } from './support/publishing.ts';
import type { Bar } from './support/report.ts';
import { benchmark, best, median, printBars, progress, row, say, verdict } from './support/report.ts';
import type { Running } from './support/running.ts';
import { cpuMicroseconds, openFolder } from './support/running.ts';
import { importServices, serviceOf } from './support/services.ts';
import { callSoap, envelopeOf, startPeer, startSteward } from './support/steward.ts';
import type { Load } from './support/wrk.ts';
import { sendLoad } from './support/wrk.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const ROUNDS = 5;
const ROUNDS_OF_SOAP = 2;
const SECONDS = 2;
const SERVICES = 5000;
const NOISE_AT_MOST = 1.6;
const BLOCK_AT_MOST_MS = 20;
const IDLE_AT_MOST_MS = 20;

interface Part extends Load {
  readonly name: string;
  readonly server: Running;
  readonly rounds: number;
  readonly microseconds: number[];
  readonly perSecond: number[];
}

function partOf(name: string, server: Running, load: Load, rounds = ROUNDS): Part {
  return { name, server, rounds, ...load, microseconds: [], perSecond: [] };
}

/** Of every service what its description has, as an object for npm `soap`. */
function describedIn(answer: Buffer): readonly Readonly<Record<string, string>>[] {
  return [...answer.toString().matchAll(/<ServiceDescription>(.*?)<\/ServiceDescription>/g)].map(([, fields = '']) =>
    Object.fromEntries([...fields.matchAll(/<(\w+)>(.*?)<\/\1>/g)].map(([, key = '', text = '']) => [key, text])),
  );
}

async function startSoap(folder: string, url: string, answer: Buffer): Promise<Running> {
  const [wsdl, descriptions] = [join(folder, 'catalog.wsdl'), join(folder, 'descriptions.json')];
  writeFileSync(wsdl, await (await fetch(`${url}/services?wsdl`)).text());
  const described = describedIn(answer);
  if (described.length !== SERVICES) throw new Error(`the catalog lists ${described.length} services`);
  writeFileSync(descriptions, JSON.stringify(described));
  const server = await startPeer(folder, 'soap', wsdl, descriptions);
  const listed = describedIn(await callSoap(`${server.url}/services`, envelopeOf('GetServiceDescriptions')));
  if (listed.length !== SERVICES) throw new Error(`npm soap lists ${listed.length} services`);
  return server;
}

async function gzipBytes(url: string, envelope: string): Promise<number> {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', 'Accept-Encoding': 'gzip' };
  const { status, headers: answered } = await fetch(url, { method: 'POST', headers, body: envelope });
  const encoding = answered.get('content-encoding');
  if (status !== 200 || encoding !== 'gzip') throw new Error(`asked for gzip, it answered ${status} ${encoding}`);
  return Number(answered.get('content-length'));
}

/** Every bare peer answers the very bytes that Steward does. */
async function prepare(folder: string) {
  const steward = await startSteward(PROJECT, folder);
  progress(`importing ${SERVICES} services …`);
  await importServices(
    steward,
    Array.from({ length: SERVICES }, (_, n) => serviceOf('', n)),
  );
  const startBare = async (file: string, envelope: string) => {
    const answer = await callSoap(steward.catalog, envelope);
    writeFileSync(join(folder, file), answer);
    return { answer, server: await startPeer(folder, 'bytes', join(folder, file)) };
  };
  const list = { url: steward.catalog, envelope: envelopeOf('GetServiceDescriptions') };
  const version = { url: steward.catalog, envelope: envelopeOf('GetMessageVersion') };
  const bareList = await startBare('list.xml', list.envelope);
  const bareVersion = await startBare('version.xml', version.envelope);
  const soap = await startSoap(folder, steward.url, bareList.answer);
  // It answers one at a time: what wrk leaves unanswered at the end would weigh too much with more connections.
  const ofSoap = { ...list, url: `${soap.url}/services`, connections: 2 };
  const parts = {
    bareList: partOf('bare, the same list', bareList.server, { ...list, url: `${bareList.server.url}/?token=0` }),
    list: partOf('GetServiceDescriptions', steward, list),
    zipped: partOf('GetServiceDescriptions, gzip', steward, { ...list, headers: { 'Accept-Encoding': 'gzip' } }),
    soap: partOf('npm soap, the same list', soap, ofSoap, ROUNDS_OF_SOAP),
    bareVersion: partOf('bare, the same version', bareVersion.server, {
      ...version,
      url: `${bareVersion.server.url}/?token=0`,
    }),
    version: partOf('GetMessageVersion', steward, version),
  };
  const bytes = { plain: bareList.answer.length, zipped: await gzipBytes(list.url, list.envelope) };
  return { parts, bytes, servers: [steward, bareList.server, bareVersion.server, soap] };
}

async function measure(part: Part, folder: string): Promise<void> {
  const before = cpuMicroseconds(part.server.pid);
  const { requests, perSecond } = await sendLoad(part, SECONDS, folder);
  part.microseconds.push((cpuMicroseconds(part.server.pid) - before) / requests);
  part.perSecond.push(perSecond);
}

async function measureAll(parts: readonly Part[], folder: string): Promise<void> {
  progress('warming up …');
  for (const part of parts) await sendLoad(part, SECONDS, folder);
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`round ${round} of ${ROUNDS} …`);
    for (const part of parts) if (round <= part.rounds) await measure(part, folder);
  }
}

function printPart({ name, microseconds, perSecond }: Part, bare: Part): void {
  const least = best(microseconds);
  say(
    row(
      name,
      least.toFixed(1),
      (least / best(bare.microseconds)).toFixed(2),
      Math.max(...microseconds).toFixed(1),
      Math.max(...perSecond).toFixed(0),
    ),
  );
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

function printParts({ parts, bytes }: Prepared): void {
  say(`\nCPU time of the server process, best of ${ROUNDS} rounds of ${SECONDS} s (npm soap: of ${ROUNDS_OF_SOAP})\n`);
  say(row('part', 'µs/request', 'x bare', 'worst µs', 'requests/s'));
  for (const part of [parts.bareList, parts.list, parts.zipped, parts.soap]) printPart(part, parts.bareList);
  for (const part of [parts.bareVersion, parts.version]) printPart(part, parts.bareVersion);
  say(`\nthe list: ${SERVICES} services, ${bytes.plain} bytes, with gzip ${bytes.zipped}`);
}

const cells = (values: readonly number[]) => [median(values), Math.max(...values)].map((ms) => `${ms.toFixed(1)} ms`);

function printPublishing({ busyMs, idleMs, publishMs, wholeMs, wholeBytes }: Publishing): void {
  say(`\nPublishing one at a time among 50,000, the longest wait of GET /healthz meanwhile\n`);
  say(row(`of ${busyMs.length}`, 'median', 'longest'));
  say(row('wait, publish and read back', ...cells(busyMs)));
  say(row('wait, nothing else going on', ...cells(idleMs)));
  say(row('publish and read back', ...cells(publishMs)));
  const [first = 0, last = 0] = wholeMs;
  say(`\nwait while all ${wholeBytes} bytes are read: at first ${first.toFixed(1)} ms, last ${last.toFixed(1)} ms`);
}

const ratio = (part: Part, bare: Part): number => best(part.microseconds) / best(bare.microseconds);

function barsOf({ parts }: Prepared, { busyMs, idleMs, mb }: Publishing): readonly Bar[] {
  return [
    {
      name: 'GetServiceDescriptions against bare',
      measured: ratio(parts.list, parts.bareList),
      atMost: 1.25,
      unit: 'x',
    },
    {
      name: 'GetMessageVersion against bare',
      measured: ratio(parts.version, parts.bareVersion),
      atMost: 2.5,
      unit: 'x',
    },
    { name: 'wait during a publish', measured: median(busyMs), atMost: BLOCK_AT_MOST_MS + median(idleMs), unit: 'ms' },
    { name: 'memory with 50,000 services', measured: mb, atMost: 400, unit: 'MB' },
  ];
}

/** What made the numbers worthless, in words. */
function noiseIn({ parts }: Prepared, { idleMs }: Publishing): string | undefined {
  const spreads = [parts.bareList, parts.bareVersion].map(
    ({ microseconds }) => Math.max(...microseconds) / best(microseconds),
  );
  const spread = Math.max(...spreads);
  if (spread > NOISE_AT_MOST) return `the rounds of a bare server differ by ${spread.toFixed(2)} x`;
  const idle = median(idleMs);
  return idle > IDLE_AT_MOST_MS ? `an idle server takes ${idle.toFixed(1)} ms to answer` : undefined;
}

async function publishing(folder: string): Promise<Publishing> {
  mkdirSync(folder);
  const steward = await startSteward(PROJECT, folder);
  const measured = await measurePublishing(steward);
  await steward.end();
  return measured;
}

/** Answers the exit code. */
async function run(folder: string): Promise<number> {
  const prepared = await prepare(folder);
  await measureAll(Object.values(prepared.parts), folder);
  await Promise.all(prepared.servers.map((server) => server.end()));
  const published = await publishing(join(folder, 'large'));
  const bars = barsOf(prepared, published);
  printParts(prepared);
  printPublishing(published);
  printBars(bars);
  return verdict('catalog', bars, noiseIn(prepared, published));
}

await benchmark('catalog', () => run(openFolder(PROJECT)));
