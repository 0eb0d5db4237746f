// `npm run bench -- catalog`: what the SOAP catalog costs in CPU time, compared with bare servers that answer the same
// bytes and with npm `soap`; how long other requests wait while a service is published in a catalog of 50,000.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../harness/benchmark.ts';
import { benchmark } from '../harness/benchmark.ts';
import { costCells, costRatio, progress, row, say } from '../harness/measure/report.ts';
import { loadCase, measureRounds } from '../harness/measure/serverCost.ts';
import { SOAP_HEADERS, callSoap, envelopeOf } from '../harness/load/soap.ts';
import { median, unsteadyRounds, worst } from '../harness/measure/statistics.ts';
import { startSteward } from '../harness/processes/steward.ts';
import { workFolder } from '../harness/processes/workspace.ts';
import { startBytesServer } from './bytesServer.ts';
import type { PublishFigures } from './publish.ts';
import { measurePublish } from './publish.ts';
import { importServices, newService } from './services.ts';
import { startSoapServer } from './soapServer.ts';

const ROUNDS = 5;
const ROUNDS_OF_SOAP = 2;
const SECONDS = 2;
const SERVICES = 5000;
const BLOCK_AT_MOST_MS = 20;
const IDLE_AT_MOST_MS = 20;

/** The fields of every service in the answer, as npm `soap` takes them. */
function descriptionsIn(answer: Buffer): readonly Readonly<Record<string, string>>[] {
  const found = [...answer.toString().matchAll(/<ServiceDescription>(.*?)<\/ServiceDescription>/g)];
  if (found.length !== SERVICES) throw new Error(`the catalog lists ${found.length} services`);
  return found.map(([, fields = '']) =>
    Object.fromEntries([...fields.matchAll(/<(\w+)>(.*?)<\/\1>/g)].map(([, key = '', text = '']) => [key, text])),
  );
}

async function gzipBytes(url: string, envelope: string): Promise<number> {
  const headers = { ...SOAP_HEADERS, 'Accept-Encoding': 'gzip' };
  const { status, headers: answered } = await fetch(url, { method: 'POST', headers, body: envelope });
  const encoding = answered.get('content-encoding');
  if (status !== 200 || encoding !== 'gzip') throw new Error(`asked for gzip, it answered ${status} ${encoding}`);
  return Number(answered.get('content-length'));
}

/** Every bare server answers the same bytes as Steward. */
async function prepare() {
  const steward = await startSteward(workFolder());
  progress(`importing ${SERVICES} services …`);
  await importServices(
    steward,
    Array.from({ length: SERVICES }, (_, n) => newService('', n)),
  );
  const list = { url: steward.catalog, envelope: envelopeOf('GetServiceDescriptions') };
  const version = { url: steward.catalog, envelope: envelopeOf('GetMessageVersion') };
  const answer = await callSoap(list.url, list.envelope);
  const bareList = await startBytesServer(answer);
  const bareVersion = await startBytesServer(await callSoap(version.url, version.envelope));
  const wsdl = await (await fetch(`${steward.url}/services?wsdl`)).text();
  const soap = await startSoapServer(wsdl, descriptionsIn(answer));
  descriptionsIn(await callSoap(`${soap.url}/services`, list.envelope));
  // It answers one request at a time: with more connections, those that wrk leaves unanswered would distort the figure.
  const ofSoap = { ...list, url: `${soap.url}/services`, connections: 2 };
  const cases = {
    bareList: loadCase('bare, the same list', bareList, { ...list, url: `${bareList.url}/?token=0` }),
    list: loadCase('GetServiceDescriptions', steward, list),
    zipped: loadCase('GetServiceDescriptions, gzip', steward, { ...list, headers: { 'Accept-Encoding': 'gzip' } }),
    soap: loadCase('npm soap, the same list', soap, ofSoap, ROUNDS_OF_SOAP),
    bareVersion: loadCase('bare, the same version', bareVersion, { ...version, url: `${bareVersion.url}/?token=0` }),
    version: loadCase('GetMessageVersion', steward, version),
  };
  const bytes = { plain: answer.length, zipped: await gzipBytes(list.url, list.envelope) };
  return { cases, bytes, servers: [steward, bareList, bareVersion, soap] };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

function printCases({ cases, bytes }: Prepared): void {
  say(`\nCPU time of the server process, best of ${ROUNDS} rounds of ${SECONDS} s (npm soap: of ${ROUNDS_OF_SOAP})\n`);
  say(row('part', 'µs/request', 'x bare', 'worst µs', 'requests/s'));
  const { bareList, list, zipped, soap, bareVersion, version } = cases;
  for (const one of [bareList, list, zipped, soap]) say(row(one.name, ...costCells(one, bareList)));
  for (const one of [bareVersion, version]) say(row(one.name, ...costCells(one, bareVersion)));
  say(`\nthe list: ${SERVICES} services, ${bytes.plain} bytes, with gzip ${bytes.zipped}`);
}

const cells = (values: readonly number[]) => [median(values), worst(values)].map((ms) => `${ms.toFixed(1)} ms`);

function printPublish({ busyMs, idleMs, publishMs, wholeMs, wholeBytes }: PublishFigures): void {
  say(`\nPublishing one at a time among 50,000, the longest wait of GET /healthz meanwhile\n`);
  say(row(`of ${busyMs.length}`, 'median', 'longest'));
  say(row('wait, publish and read back', ...cells(busyMs)));
  say(row('wait, nothing else going on', ...cells(idleMs)));
  say(row('publish and read back', ...cells(publishMs)));
  const [first = 0, last = 0] = wholeMs;
  say(`\nwait while all ${wholeBytes} bytes are read: at first ${first.toFixed(1)} ms, last ${last.toFixed(1)} ms`);
}

async function measureLargeCatalog(): Promise<PublishFigures> {
  const folder = join(workFolder(), 'large');
  mkdirSync(folder);
  const steward = await startSteward(folder);
  const figures = await measurePublish(steward);
  await steward.end();
  return figures;
}

function slowWhenIdle(idleMs: readonly number[]): string | undefined {
  const idle = median(idleMs);
  return idle > IDLE_AT_MOST_MS ? `an idle server takes ${idle.toFixed(1)} ms to answer` : undefined;
}

async function run(): Promise<Result> {
  const prepared = await prepare();
  const { bareList, list, bareVersion, version } = prepared.cases;
  await measureRounds(Object.values(prepared.cases), { rounds: ROUNDS, seconds: SECONDS });
  await Promise.all(prepared.servers.map((server) => server.end()));
  const figures = await measureLargeCatalog();
  const { busyMs, idleMs, mb } = figures;
  printCases(prepared);
  printPublish(figures);
  const waitAtMost = BLOCK_AT_MOST_MS + median(idleMs);
  return {
    bars: [
      { name: 'GetServiceDescriptions against bare', measured: costRatio(list, bareList), atMost: 1.1, unit: 'x' },
      { name: 'GetMessageVersion against bare', measured: costRatio(version, bareVersion), atMost: 1.8, unit: 'x' },
      { name: 'wait during a publish', measured: median(busyMs), atMost: waitAtMost, unit: 'ms' },
      { name: 'memory with 50,000 services', measured: mb, atMost: 400, unit: 'MB' },
    ],
    noise: unsteadyRounds('a bare server', bareList.microseconds, bareVersion.microseconds) ?? slowWhenIdle(idleMs),
  };
}

await benchmark('catalog', run);
