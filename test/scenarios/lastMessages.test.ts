// What a person learns who opens the page of a job at three in the morning and reads its last ten messages only: why it failed, how
// the system is now, and what to do next.
import { afterAll, expect, test } from 'vitest';
import type { NewFault } from '../../src/drivers/simulated/state/injectedFault.ts';
import { CODE } from '../support/upgrades/codes.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
/** A workload in the last wave of the patch, and one in the last wave of the release. */
const [LATER, LAST] = ['report-scheduler', 'portal-themes'];

interface LastMessagesCase {
  readonly name: string;
  readonly id: typeof PATCH | typeof RELEASE;
  /** The message at which the faults are added; without it they are there once the job has begun. */
  readonly when?: number;
  readonly faults: readonly NewFault[];
  readonly state: 'rolled_back' | 'failed';
  /** What the last ten messages say of the cause, each in its words. */
  readonly cause: readonly RegExp[];
  /** What they say of the deployment and of the database. */
  readonly present: readonly RegExp[];
  readonly isReadOnly?: true;
}

/** Patches undo their changes. */
const UNDONE = [/deployment runs 10\.9\.1\.1800 as before/];
/** A release that stops at a workload. */
const BETWEEN = [/This job updates 6 workloads in two steps/, /Database, as last reported: .*`database-b` is primary/s];

const onWorkload = (kind: NewFault['kind'], ...cause: RegExp[]): LastMessagesCase => ({
  name: `${kind} in the last wave of a patch`,
  id: PATCH,
  when: CODE.planExecuting,
  faults: [{ kind, workload: LATER }],
  state: 'rolled_back',
  cause: [new RegExp(`\`${LATER}\``), ...cause],
  present: UNDONE,
});

const CASES: readonly LastMessagesCase[] = [
  onWorkload('crashLoop', /exit code 1/, /storage\.address/),
  onWorkload('imageUnpullable', /401 Unauthorized/),
  onWorkload('checksumDiffers', /another build than the manifest names/),
  onWorkload('imageAbsent', /no image/),
  onWorkload('putBack', /changed by `demo-gitops-controller`/),
  onWorkload('conflict', /demo-gitops-controller/),
  onWorkload('slow', /0 of \d replicas/, /readiness probe/),
  {
    name: 'a full disk that the diagnostics find',
    id: PATCH,
    faults: [{ kind: 'diskFull' }],
    state: 'rolled_back',
    cause: [/disk of node-3 is full/],
    present: [/Nothing was changed/, /runs 10\.9\.1\.1800 as before/],
  },
  {
    name: 'the permission to change workloads is lost under way',
    id: PATCH,
    when: CODE.workloadUpdated,
    faults: [{ kind: 'forbidden' }],
    state: 'failed',
    cause: [/lacks the permission "patch"/],
    present: [/Of the \d workloads of this job/],
    isReadOnly: true,
  },
  {
    name: 'the API of the deployment stays away',
    id: PATCH,
    when: CODE.workloadUpdated,
    faults: [{ kind: 'apiErrors', seconds: 3000 }],
    state: 'failed',
    cause: [/503 Service Unavailable/],
    present: [/what runs now is not known/],
    isReadOnly: true,
  },
  {
    name: 'the engine of the database does not come up',
    id: RELEASE,
    faults: [{ kind: 'databaseDown', phase: 'engine' }],
    state: 'rolled_back',
    cause: [/phase `engine`/, /`database-b`/],
    present: [/runs 10\.9\.1\.1800 as before/, /`database-a` is (the )?primary/],
  },
  {
    name: 'the backup fails',
    id: RELEASE,
    faults: [{ kind: 'hookFails', hook: 'backup' }],
    state: 'rolled_back',
    cause: [/hook `backup` failed with exit code 1/],
    present: [/runs 10\.9\.1\.1800 as before/, /neither the workloads nor the database|did not change the database/],
  },
  {
    name: 'the new primary does not accept writes',
    id: RELEASE,
    faults: [{ kind: 'databaseDown', phase: 'readWrite' }],
    state: 'failed',
    cause: [/phase `readWrite`/],
    present: [/0 run 11\.0\.2187/, /no database instance accepts writes/],
    isReadOnly: true,
  },
  {
    name: 'the roles of the database cannot be announced',
    id: RELEASE,
    faults: [{ kind: 'databaseDown', phase: 'roles' }],
    state: 'failed',
    cause: [/phase `roles`/],
    present: [/0 run 11\.0\.2187/, /Database, as last reported/],
    isReadOnly: true,
  },
  {
    name: 'a workload of the release crashes after the point of no return',
    id: RELEASE,
    faults: [{ kind: 'crashLoop', workload: LAST }],
    state: 'failed',
    cause: [new RegExp(`\`${LAST}\``), /exit code 1/],
    present: BETWEEN,
    isReadOnly: true,
  },
  {
    name: 'the last hook of the release fails',
    id: RELEASE,
    faults: [{ kind: 'hookFails', hook: 'search-indices' }],
    state: 'failed',
    cause: [/hook `search-indices` failed with exit code 1/],
    present: [/6 run 11\.0\.2187 and 0 run 10\.9\.1\.1800/],
    isReadOnly: true,
  },
];

const servers = sharedServers();
afterAll(() => servers.close());

async function failedJob({ id, when, faults }: LastMessagesCase): Promise<{ steward: UpgradeServer; job: string }> {
  const steward = await servers.start({ areas: { upgradeDeadlineSeconds: 20 } });
  const job = await steward.upgrade(id, id === RELEASE ? await licensed(steward) : {});
  if (when !== undefined) await steward.untilSaid(when);
  for (const fault of faults) await steward.simulated.addFault(fault);
  return { steward, job };
}

test.each(CASES)(
  '[K1] [UPG13] $name: the last ten messages name the cause, the present state and the next act',
  async (one) => {
    const { steward, job } = await failedJob(one);
    const { state, messages } = await steward.untilEnd();
    expect(state).toBe(one.state);
    const last = messages.slice(-10);
    const text = last.map(({ message }) => message).join('\n');
    for (const words of [...one.cause, ...one.present]) expect(text).toMatch(words);
    // The last message alone has all three: it is what a list of jobs, an event and an alert show.
    const { message: final = '' } = last.at(-1) ?? {};
    expect(final).toMatch(/\nCause: \S/);
    expect(final).toMatch(/\nWhat to do: \S/);
    expect(final).toContain(state === 'failed' ? `system/jobs/${job}/retry` : `versionManifest=${one.id}`);
    const { isReadOnly } = await steward.must('/admin/mode');
    expect(isReadOnly).toBe(one.isReadOnly ?? false);
    expect(final).toMatch(isReadOnly ? /stays in read-only mode/ : /system accepts writes/);
    expect(text).not.toMatch(/does not know why|undefined|\.\.(?!\.)/);
  },
);
