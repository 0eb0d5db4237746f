// Plays the whole series on the built program, and returns its transcript.
import type { Fields } from '../server/client.ts';
import type { OpenapiDocument } from '../server/openapiDocument.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { startSteward } from '../server/stewardProcess.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { startArrivals } from './arrivals.ts';
import { recordCommands, recordHelp } from './commands.ts';
import { notCovered, resourceRows, roleRows, wrongRows } from './generated.ts';
import { createNormaliser } from './normalise.ts';
import type { Normaliser } from './normalise.ts';
import { createPlayer } from './player.ts';
import type { Player } from './player.ts';
import { createRecorder } from './recorder.ts';
import type { Recorder } from './recorder.ts';
import { ACCESS_ROWS, AUDIT_ROWS, SIGN_IN_ROWS } from './series/accessRows.ts';
import { CATALOG_CLIENT_ROWS } from './series/catalogClientRows.ts';
import { CATALOG_ROWS, MODE_ROWS } from './series/catalogRows.ts';
import { DEMO_ROWS, UPGRADE_ROWS, UPLOAD_ROWS } from './series/upgradeRows.ts';
import { POLICY_ROWS, SERVICE_WEBHOOK_ROWS, SYSTEM_WEBHOOK_ROWS, WEBHOOK_END_ROWS } from './series/webhookRows.ts';
import { ONE_BY_ONE } from './seriesServer.ts';
import { announced, settle } from './settle.ts';

/** What the rows begin with. */
const MEMORY: Fields = {
  service: 'Ledger/Books.Report',
  root: 'Open.Map',
  folder: 'Ledger',
  none: 'none',
  admin: 'admin',
  clerk: 'clerk',
  paul: 'paul',
};

const METRIC = /^(?:# TYPE )?([a-z_]+(?:\{[^}]*\})?[a-z ]*)/;

/** The names of metrics and of their labels. */
function metricNames(text: string): readonly string[] {
  const names = text.split('\n').map((line) => (METRIC.exec(line)?.[1] ?? '').replace(/="[^"]*"/g, ''));
  return [...new Set(names)].filter((name) => name !== '').toSorted();
}

/** What the rows about webhooks of the system leave is remembered under these names. */
const SYSTEM_NAMES = [
  ['systemHook', 'hook'],
  ['systemDelivery', 'delivery'],
  ['systemEvent', 'event'],
] as const;

/** Plays all rows, and returns the OpenAPI document of the server, which many of them follow from. */
async function playChapters(
  { memory, play }: Player,
  steward: StewardProcess,
  settled: () => Promise<void>,
): Promise<OpenapiDocument> {
  await play('sign-in', SIGN_IN_ROWS);
  await play('access', ACCESS_ROWS);
  await play('catalog', CATALOG_ROWS);
  await play('mode', MODE_ROWS);
  await play('delivery policy', POLICY_ROWS);
  await play('system webhooks', SYSTEM_WEBHOOK_ROWS);
  for (const [name, from] of SYSTEM_NAMES) memory.set(name, memory.get(from) ?? '');
  await play('webhooks of a service', SERVICE_WEBHOOK_ROWS);
  await play('uploads', UPLOAD_ROWS);
  await play('demo', DEMO_ROWS);
  await play('upgrades', UPGRADE_ROWS);
  await settled();
  const document: OpenapiDocument = (await steward.get('/openapi.json')).body;
  await play('catalog clients', CATALOG_CLIENT_ROWS);
  await play('resources in all formats', resourceRows(document));
  await play('wrong fields', wrongRows(document));
  await play('roles', roleRows(document));
  await play('end of the webhooks', WEBHOOK_END_ROWS);
  await settled();
  await play('audit', AUDIT_ROWS);
  return document;
}

async function recordServer(normaliser: Normaliser): Promise<string> {
  const recorder = createRecorder(normaliser);
  const folder = temporaryFolder();
  const data = `${folder.path}/data`;
  const args = ['--demo', '--demo-receiver-port', '0', ...ONE_BY_ONE];
  const [arrivals, steward] = await Promise.all([startArrivals(), startSteward({ data, args })]);
  const ask = async (path: string) =>
    (await steward.get(path, { authorization: `Bearer ${memory.get('administrator')}` })).body;
  const settled = async (): Promise<void> => {
    await settle(data, ask);
    arrivals.record(recorder);
  };
  const player = createPlayer({
    url: steward.url,
    recorder,
    settled,
    announced: () => announced(data),
  });
  const { memory, succeeded } = player;
  for (const [name, value] of Object.entries({ ...MEMORY, server: steward.url, receiver: arrivals.url }))
    memory.set(name, value);
  try {
    const document = await playChapters(player, steward, settled);
    recorder.add('names of the metrics', ...metricNames((await steward.get('/metrics')).text));
    const missing = notCovered(document, succeeded);
    if (missing.length > 0)
      throw new Error(
        `The series has no success of ${missing.join(', ')}. Add rows to test/support/transcript/series.`,
      );
  } finally {
    await steward.end('SIGTERM');
    await arrivals.close();
    folder.remove();
  }
  return recorder.text();
}

async function recordAllHelp(normaliser: Normaliser): Promise<string> {
  const recorder: Recorder = createRecorder(normaliser);
  await recordHelp(recorder);
  return recorder.text();
}

const part = (): Normaliser => createNormaliser(Date.now());

/** Plays everything. Each part has its own numbers, so that a difference in one does not change the others. */
export async function playSeries(): Promise<string> {
  const parts = await Promise.allSettled([
    recordServer(part()),
    recordCommands(part(), ['--json']),
    recordCommands(part(), []),
    recordAllHelp(part()),
  ]);
  return parts
    .map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    })
    .join('\n');
}
