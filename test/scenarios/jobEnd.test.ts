// The end of a job is one moment for every reader: a client that has read that it has succeeded finds the children of `upgrades` open
// and the mode restored. Each reader polls without a pause and asks the next thing as soon as it has its answer.
import { expect, test } from 'vitest';
import { newId } from '../../src/foundation/ids.ts';
import type { Client } from '../support/server/client.ts';
import { createClient, inProcessTransport } from '../support/server/client.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { manualClock } from '../support/clock/manualClock.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { eachStore, postgresKind } from '../support/store/stores.ts';
import { UPGRADES, startUpgradeServer } from '../support/upgrades/upgradeServer.ts';

const PATCH = 'pat_10.9.1.1842';
const ROUNDS = 3;

interface Replica {
  readonly name: string;
  readonly client: Client;
  readonly areas: InProcessServer['areas'];
}

type Reader = (replica: Replica, id: string) => Promise<string | undefined>;

/** Waits for the frame of the stream that shows the end. */
const followed: Reader = ({ areas }, id) =>
  new Promise((resolve) => {
    const stop = areas.feed.follow(id, ({ job }) => {
      if (job.state !== 'succeeded') return;
      stop();
      resolve('success');
    });
  });

const READERS: Readonly<Record<string, Reader>> = {
  'system/upgrades': async ({ client }) => (await client.must(UPGRADES)).status.state,
  'system/jobs/<id>': async ({ client }, id) => (await client.must(`/admin/system/jobs/${id}`)).state,
  'system/jobs': async ({ client }) => (await client.must('/admin/system/jobs')).jobs[0].state,
  'the overview': async ({ client }, id) => {
    const { job } = await client.must('/admin/system/overview');
    return job?.id === id ? job.state : undefined;
  },
  'the stream': followed,
};

/** What a replica still refuses after another one, or itself, has shown the end. */
async function contradictions({ name, client }: Replica): Promise<readonly string[]> {
  const child = await client.post(`${UPGRADES}/available`);
  const { isReadOnly } = await client.must('/admin/mode');
  const write = await client.post('/admin/services/createFolder', { folderName: newId() });
  return [
    ...(child.status === 200 ? [] : [`${name}: a child answers ${child.status}`]),
    ...(isReadOnly ? [`${name}: the mode is read-only`] : []),
    ...(write.status === 200 ? [] : [`${name}: a write answers ${write.status}`]),
  ];
}

/** Time moves on a little with each answer: the readers never pause, so the server is never idle. */
const TICK_MS = 10;

async function watchEnd(replicas: readonly Replica[], id: string, clock: ManualClock): Promise<readonly string[]> {
  const watching = replicas.flatMap((replica) =>
    Object.entries(READERS).map(async ([what, read]) => {
      while ((await read(replica, id)) !== 'success') clock.advance(TICK_MS);
      const found = await Promise.all(replicas.map(contradictions));
      return found.flat().map((one) => `${what} of ${replica.name} shows the end, and ${one}`);
    }),
  );
  return (await Promise.all(watching)).flat();
}

eachStore((kind) => {
  test('[U23] [UPG14] a client that has read that a job has succeeded finds the children open and the mode restored, on every replica', async ({
    onTestFinished,
  }) => {
    const { place, remove } = await kind.place();
    onTestFinished(() => remove());
    const clock = manualClock();
    const first = await startUpgradeServer({ shared: { place, clock } });
    onTestFinished(() => first.close());
    const replicas: Replica[] = [{ name: 'one', client: first, areas: first.areas }];
    if (kind === postgresKind) {
      const second = await startInProcess({}, {}, { place, clock });
      onTestFinished(() => second.close());
      const client = createClient(inProcessTransport(second.app), first.token);
      replicas.push({ name: 'two', client, areas: second.areas });
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await first.upgrade(PATCH);
      expect(await watchEnd(replicas, id, clock)).toEqual([]);
      const { job } = await first.must(`${UPGRADES}/rollback`, { versionManifest: PATCH });
      expect(await watchEnd(replicas, job.id, clock)).toEqual([]);
    }
  });
});
