// Names of receivers that cannot be looked up, or slowly, with a name server of the test in /etc/resolv.conf of Steward.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { describe, test } from 'vitest';
import type { DecideName, NameAnswer } from '../support/receivers/nameServer.ts';
import { startNameServer } from '../support/receivers/nameServer.ts';
import { PROJECT } from '../support/run/project.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';

const PRIVATE_MOUNT = ['-m', 'sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"'];
const canMount =
  process.getuid?.() === 0 &&
  (await runCommand('unshare', [...PRIVATE_MOUNT, '/dev/null', 'true']).catch(() => undefined))?.status === 0;
const where = canMount ? '' : ' (left out: this process may not mount another /etc/resolv.conf)';

const FOUND: NameAnswer = { kind: 'address' };
const SILENCE: NameAnswer = { kind: 'silence' };
const DEAD = Array.from({ length: 3 }, (_, n) => `dead${n}.test`);
const HEALTHY = ['healthy0.test', 'healthy1.test', 'healthy2.test', 'truncated.test'];
const SLOW = ['slow.test', 'lossy.test'];

/** What the name server does with each kind of name. */
const BY_NAME: DecideName = (name, count) => {
  if (DEAD.includes(name)) return SILENCE;
  switch (name) {
    case 'servfail.test':
      return { kind: 'failure', code: 'SERVFAIL' };
    case 'missing.test':
      return { kind: 'failure', code: 'NXDOMAIN' };
    case 'truncated.test':
      return { kind: 'address', isTruncated: true };
    case 'slow.test':
      return { kind: 'address', afterMs: 3000 };
    case 'lossy.test':
      // Questions come in pairs, for addresses of IPv4 and IPv6. Every second pair is lost.
      return count % 4 === 1 || count % 4 === 2 ? SILENCE : FOUND;
    default:
      return FOUND;
  }
};

/** Starts Steward with a webhook for each name. One failed attempt would deactivate a webhook. */
async function start({ onTestFinished }: TestContext, decide: DecideName, names: readonly string[]) {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const nameServer = await startNameServer(decide);
  onTestFinished(() => nameServer.close());
  const receiver = await startRecordingReceiver(() => 200);
  onTestFinished(() => receiver.close());
  const resolv = join(folder.path, 'resolv.conf');
  writeFileSync(resolv, `nameserver ${nameServer.address}\n`);
  const program = [process.execPath, join(PROJECT, 'dist', 'steward.js')];
  const command = ['unshare', ...PRIVATE_MOUNT, resolv, ...program] as const;
  const steward = await startSteward({ data: join(folder.path, 'data'), command });
  onTestFinished(async () => void (await steward.end('SIGTERM')));
  const token = await steward.token();
  await steward.must('/admin/services/webhooks/settings', { token, notificationAttempts: '1', numberOfFailures: '1' });
  await steward.must('/admin/services/createService', { token, serviceName: 'Orders', type: 'Map' });
  const { port } = new URL(receiver.url);
  const ids = new Map<string, string>();
  for (const name of names) {
    const { signatureKey } = receiver;
    const fields = { token, name, hookUrl: `http://${name}:${port}/${name}`, signatureKey };
    ids.set(name, (await steward.must('/admin/services/Orders.Map/webhooks/create', fields)).webhook.id);
  }
  const show = (name: string) => steward.must(`/admin/services/Orders.Map/webhooks/${ids.get(name)}`, { token });
  return {
    steward,
    receiver,
    show,
    async publish(): Promise<void> {
      const payload = JSON.stringify({ name: 'e', mustFail: false });
      await steward.must('/admin/services/Orders.Map/events', { token, event: 'order', payload });
    },
    /** `delivered`, `failed` or `pending`, by name. */
    async states(some: readonly string[]): Promise<Readonly<Record<string, string>>> {
      const shown = await Promise.all(some.map(async (name) => [name, await show(name)] as const));
      return Object.fromEntries(
        shown.map(([name, { ledger, active }]) => {
          const state = ledger.delivered === 1 ? 'delivered' : ledger.failed === 1 ? 'failed' : 'pending';
          return [name, active === (state !== 'failed') ? state : `${state}, active ${active}`];
        }),
      );
    },
  };
}

const allIn = (names: readonly string[], state: string) => Object.fromEntries(names.map((name) => [name, state]));

describe.skipIf(!canMount)(`names of receivers${where}`, () => {
  test.concurrent('[WHK8] [WHK16] dead, slow and unreliable names neither delay nor charge receivers with other names', async (context) => {
    const { expect } = context;
    const charged = [...DEAD, 'servfail.test', 'missing.test'];
    const { publish, states, show, receiver } = await start(context, BY_NAME, [...charged, ...SLOW, ...HEALTHY]);
    await publish();
    await until('the healthy receivers have it', async () => !Object.values(await states(HEALTHY)).includes('pending'));
    expect(await states([...HEALTHY, ...DEAD])).toEqual({
      ...allIn(HEALTHY, 'delivered'),
      ...allIn(DEAD, 'pending'),
    });
    await until('the others have ended', async () =>
      Object.values(await states([...SLOW, ...charged])).every((state) => state !== 'pending'),
    );
    expect(await states([...SLOW, ...charged])).toEqual({ ...allIn(SLOW, 'delivered'), ...allIn(charged, 'failed') });
    const reasonOf = async (name: string): Promise<string> => (await show(name)).lastAnswer.reason;
    expect(await reasonOf('dead0.test')).toContain('the host name could not be looked up');
    expect(await reasonOf('missing.test')).toContain('the host name is not known');
    expect(await reasonOf('servfail.test')).toContain('the host name could not be looked up');
    expect(receiver.arrivals.map(({ path }) => path.slice(1)).toSorted()).toEqual([...HEALTHY, ...SLOW].toSorted());
    expect(receiver.problems).toEqual([]);
  });

  test.concurrent.for([
    ['answers nothing', SILENCE],
    ['answers SERVFAIL', { kind: 'failure', code: 'SERVFAIL' }],
  ] as const)(
    '[WHK16] a name server that %s for every name is not charged to any receiver, and deliveries go on when it works again',
    async ([, answer], context) => {
      const { expect } = context;
      let isBroken = true;
      const { publish, states, steward, receiver } = await start(
        context,
        (...question) => (isBroken ? answer : BY_NAME(...question)),
        HEALTHY,
      );
      await publish();
      await until('the trouble is logged', () => steward.log().includes('the name servers of this machine'));
      expect(await states(HEALTHY)).toEqual(allIn(HEALTHY, 'pending'));
      isBroken = false;
      await until('all are delivered', async () => !Object.values(await states(HEALTHY)).includes('pending'));
      expect(await states(HEALTHY)).toEqual(allIn(HEALTHY, 'delivered'));
      expect(receiver.arrivals.map(({ attempt }) => attempt)).toEqual(HEALTHY.map(() => 1));
    },
  );
});
