// A short life of Steward on one store: it starts on an empty database, delivers an event, upgrades the deployment, stops, starts again
// with everything that it had, and delivers a second event. Then the store is moved to SQLite.
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import type { Answer, Fields } from '../server/client.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { runSteward, startSteward } from '../server/stewardProcess.ts';
import { SESSION_SETTINGS, watchSessions } from './sessionWatch.ts';
import type { TestDatabase } from './testCluster.ts';
import type { RecordingReceiver } from '../webhooks/recordingReceiver.ts';
import { startRecordingReceiver } from '../webhooks/recordingReceiver.ts';

/** A way to connect, ready to be used. */
export interface Place {
  readonly database: TestDatabase;
  /** The value of STEWARD_STORE. */
  readonly store: string;
  /** More of the environment. */
  readonly env?: Fields;
  /** Whether connections are lost, so that an answer may be 503. */
  readonly losesConnections?: boolean;
}

interface Run {
  readonly place: Place;
  readonly data: string;
  readonly receiver: RecordingReceiver;
  readonly env: Fields;
}

/** The events of every run. */
export const DELIVERED = ['first', 'second'];
const PATH = '/all';
const SERVICE = 'Orders.Map';
const PATCH = 'pat_10.9.1.1842';
const UPGRADES = '/admin/system/upgrades';
const PACE = { rolloutMs: '50', hookMs: '10', databaseMs: '10' };
const ERROR_LEVEL = /"level":[56]0/;

/** Sends a request. Where connections are lost it is sent again: a repeat finds what the first one did. */
async function ask({ place }: Run, server: StewardProcess, path: string, fields: Fields): Promise<Answer['body']> {
  if (place.losesConnections !== true) return server.must(path, fields);
  let answer: Answer | undefined;
  await until(`${path} is answered`, async () => {
    answer = await server.post(path, fields);
    return answer.status !== 503;
  });
  if (answer?.status !== 200 && answer?.status !== 409) throw new Error(`${path} answered ${answer?.text}`);
  return answer.body;
}

async function deliver(run: Run, server: StewardProcess, token: string, name: string): Promise<void> {
  const payload = JSON.stringify({ name, mustFail: false });
  await ask(run, server, `/admin/services/${SERVICE}/events`, { token, event: 'order', payload, eventId: name });
  await until(`${name} is delivered`, () => run.receiver.arrivals.some((arrival) => arrival.name === name));
}

async function tokenOf(run: Run, server: StewardProcess): Promise<string> {
  if (run.place.losesConnections !== true) return server.token();
  let token = '';
  await until('a token is given', async () => {
    token = await server.token().catch(() => '');
    return token !== '';
  });
  return token;
}

async function upgrade(run: Run, server: StewardProcess, token: string): Promise<void> {
  await ask(run, server, '/admin/demo/deployment/reset', { token });
  await ask(run, server, '/admin/demo/settings', { token, ...PACE });
  await ask(run, server, `${UPGRADES}/upgrade`, { token, versionManifest: PATCH });
  await until('the upgrade ends', async () => {
    const { status } = await ask(run, server, UPGRADES, { token });
    expect(status.state).not.toBe('failed');
    return status.state === 'success';
  });
}

/** Runs doctor beside the server, as an operator does. Where connections are lost, it may find the server not ready for a moment. */
async function examine({ data, env, place }: Run, server: StewardProcess): Promise<void> {
  const args = ['doctor', '--data', data, '--port', new URL(server.url).port];
  await until('doctor finds nothing', async () => {
    const { status, stdout, stderr } = await runSteward(args, { env: { ...env, STEWARD_WEBHOOK_ALLOW: '127.0.0.1' } });
    if (status !== 0 && place.losesConnections !== true)
      throw new Error(`doctor ended with ${status}:\n${stdout}${stderr}`);
    return status === 0;
  });
}

async function move({ env, place }: Run, to: string): Promise<void> {
  const { status, stdout, stderr } = await runSteward(['move-store', '--from', place.store, '--to', to], { env });
  expect({ status, said: stdout + stderr }).toMatchObject({
    status: 0,
    said: expect.stringContaining('The move is complete'),
  });
}

async function firstLife(run: Run): Promise<void> {
  const { place, data, env, receiver } = run;
  const server = await startSteward({ data, env });
  try {
    const token = await tokenOf(run, server);
    await ask(run, server, '/admin/services/createService', { token, serviceName: 'Orders', type: 'Map' });
    const hook = { name: 'all', hookUrl: receiver.url + PATH, signatureKey: receiver.signatureKey };
    await ask(run, server, `/admin/services/${SERVICE}/webhooks/create`, { token, ...hook, changeTypes: '["order"]' });
    const watch = await watchSessions(place.database);
    await deliver(run, server, token, 'first');
    expect(await watch.end()).toEqual(SESSION_SETTINGS);
    await upgrade(run, server, token);
    await examine(run, server);
    expect(await server.end('SIGTERM')).toBe(0);
    if (place.losesConnections !== true) expect(server.log()).not.toMatch(ERROR_LEVEL);
  } catch (error) {
    await server.end('SIGKILL');
    throw new Error(`${String(error)}\n${server.log()}`, { cause: error });
  }
}

async function secondLife(run: Run): Promise<void> {
  const { data, env, receiver, place } = run;
  const server = await startSteward({ data, env });
  try {
    const token = await tokenOf(run, server);
    const { webhooks } = await ask(run, server, `/admin/services/${SERVICE}/webhooks`, { token });
    expect(webhooks).toMatchObject([{ name: 'all', ledger: { accepted: 1, delivered: 1 } }]);
    expect((await ask(run, server, UPGRADES, { token })).status.state).toBe('success');
    await deliver(run, server, token, 'second');
    expect(await server.end('SIGTERM')).toBe(0);
    expect(receiver.problems).toEqual([]);
    if (place.losesConnections !== true) {
      expect(receiver.arrivals.map(({ name }) => name)).toEqual(DELIVERED);
      expect(server.log()).not.toMatch(ERROR_LEVEL);
    }
  } catch (error) {
    await server.end('SIGKILL');
    throw new Error(`${String(error)}\n${server.log()}`, { cause: error });
  }
}

/** Goes through the whole life, fails where Steward does, and returns the names of the delivered events. */
export async function shortRun(place: Place): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const receiver = await startRecordingReceiver(() => 200);
  const env = { HOME: folder.path, STEWARD_STORE: place.store, STEWARD_DEPLOYMENT: 'simulated', ...place.env };
  const run = { place, receiver, env, data: join(folder.path, 'data') };
  try {
    await firstLife(run);
    await secondLife(run);
    // A move holds its lock with one connection from beginning to end.
    if (place.losesConnections !== true) await move(run, join(folder.path, 'moved'));
    return [...new Set(receiver.arrivals.map(({ name }) => name))];
  } finally {
    await receiver.close();
    folder.remove();
  }
}
