import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';
import { SERVICE, STEADY_PATH, setUpWebhooks, show } from '../support/webhooks/webhookSetup.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const LIMIT = 90;

/**
 * Lowers the limit of a server to less than it has reckoned with, opens idle connections until it has no descriptor left, and keeps
 * it so. Returns how to end that.
 */
async function useAllDescriptors({ url, pid }: StewardProcess): Promise<() => void> {
  const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length;
  const limit = descriptors() + 10;
  expect(await runCommand('prlimit', ['--pid', String(pid), `--nofile=${limit}:`])).toMatchObject({ status: 0 });
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = (): void => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      if (!isOver) setImmediate(open);
    });
  };
  for (let n = 0; n < 20; n += 1) open();
  await until('no descriptor is left', () => descriptors() >= limit);
  return () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
}

/** Opens connections that send nothing, and waits until all are accepted. A server may close some of them. */
async function openIdle({ url }: StewardProcess, count: number): Promise<void> {
  const { port } = new URL(url);
  const open = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', resolve);
      closing.push(() => socket.destroy());
      socket.on('error', () => undefined);
    });
  await Promise.all(Array.from({ length: count }, open));
}

test.skipIf(process.platform !== 'linux')(
  '[REQ9] [DEC91] more idle connections than the limit of open files leave descriptors for new clients',
  async () => {
    const folder = temporaryFolder();
    closing.push(folder.remove);
    const steward = await startSteward({ data: folder.path, before: 'ulimit -n 200' });
    closing.push(() => steward.end('SIGTERM'));
    expect(steward.output()).toMatch(/The limit of open files is 200, .* at most 32 connections/);
    await openIdle(steward, 300);
    for (let n = 0; n < 20; n += 1)
      expect((await fetch(`${steward.url}/healthz`, { headers: { connection: 'close' } })).status).toBe(200);
    expect(steward.log()).not.toContain('EMFILE');
  },
);

test.skipIf(process.platform !== 'linux')(
  '[WHK16] a server without file descriptors accepts events, charges no receiver, and delivers when it has descriptors again',
  async () => {
    const folder = temporaryFolder();
    closing.push(folder.remove);
    const receiver = await startRecordingReceiver(() => 200);
    closing.push(receiver.close);
    const steward = await startSteward({ data: folder.path, before: `ulimit -n ${LIMIT}` });
    closing.push(() => steward.end('SIGTERM'));
    expect(steward.output()).toMatch(/The limit of open files is 90, .* at most 8 deliveries/);
    const scene = await setUpWebhooks(steward, receiver, { attempts: 1, timeOutS: 10, waitS: 1 }, [STEADY_PATH]);
    const { token } = scene;
    await steward.must('/admin/services/webhooks/settings', { token, numberOfFailures: '1' });
    const free = await useAllDescriptors(steward);
    closing.push(free);
    // Larger than what SQLite keeps in memory by default for one statement.
    const payload = JSON.stringify({ name: 'n', mustFail: false, filler: 'x'.repeat(200_000) });
    for (let n = 0; n < 5; n += 1)
      await steward.must(`/admin/services/${SERVICE}/events`, { token, event: 'order', payload });
    await until('the lack is logged', () => steward.log().includes('EMFILE'));
    const at = `/admin/services/${SERVICE}/webhooks/${scene.webhooks.get(STEADY_PATH)}`;
    expect((await steward.must(`${at}/test`, { token })).test).toMatchObject({ outcome: 'notSent' });
    expect(await show(steward, scene, STEADY_PATH)).toMatchObject({
      active: true,
      failureWindow: null,
      ledger: { accepted: 5, failed: 0 },
    });
    free();
    await until('all are delivered', async () => (await show(steward, scene, STEADY_PATH)).ledger.delivered === 5);
    expect(receiver.arrivals.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
    expect(receiver.problems).toEqual([]);
  },
);

const NAMESPACE = ['-rn', 'sh', '-c'];
const canUnshare =
  (await runCommand('unshare', [...NAMESPACE, 'ip link set lo up']).catch(() => undefined))?.status === 0;

test.skipIf(!canUnshare)(
  '[WHK16] a machine without local ports charges no receiver, and delivers when it has ports again',
  async () => {
    const folder = temporaryFolder();
    closing.push(folder.remove);
    const range = 'echo 40000 40031 > /proc/sys/net/ipv4/ip_local_port_range';
    const script = join(PROJECT, 'test', 'support', 'webhooks', 'exhaustPorts.mjs');
    const program = join(PROJECT, 'dist', 'steward.js');
    const ran = await runCommand(
      'unshare',
      [...NAMESPACE, `ip link set lo up; ${range}; exec "$0" "$@"`, process.execPath, script, program, folder.path],
      { isGroup: true },
    );
    const waiting = { accepted: 1, delivered: 0, pending: 1, held: 0, failed: 0, discarded: 0 };
    expect(JSON.parse(ran.stdout)).toMatchObject({
      published: 200,
      during: { active: true, failureWindow: null, ledger: waiting },
      after: { active: true, failureWindow: null, ledger: { ...waiting, delivered: 1, pending: 0 } },
      received: [1],
    });
  },
);
