// The part `followers`: how soon the messages of an upgrade reach 200 followers, on the replica that works on it and on
// another one, and how often the messages are read from PostgreSQL for them.
import type { PartResult } from '../harness/benchmark.ts';
import type { Installations, StoreName } from '../harness/processes/installations.ts';
import { logged } from '../harness/processes/installations.ts';
import { cpuMicroseconds } from '../harness/measure/processUsage.ts';
import { progress, row, say, spreadCells } from '../harness/measure/report.ts';
import type { Spread } from '../harness/measure/statistics.ts';
import { spreadOf } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { startJobFollowers } from './jobFollowers.ts';
import type { Pace } from './upgradeClient.ts';
import { fillDeployment, startUpgrade, waitForSuccess } from './upgradeClient.ts';

const FOLLOWERS = 200;
const WORKLOADS = 48;
const PACE: Pace = { rolloutMs: 1000, hookMs: 500, databaseMs: 500 };
const LAG_AT_MOST_MS = 500;
/** How often a replica checks whether another one has changed anything. */
const INTERVAL_MS = 300;
/** A new follower may cause one more read. */
const READS_AT_MOST = 1.1;

/** The statement that reads new messages, and the one that is part of every change of a job. */
const READ = /from job_entry where job_id = \$1 and number > /g;
const WRITTEN = /update job set state = /g;

interface Case {
  readonly store: StoreName;
  /** `here` is the replica that works on the upgrade. */
  readonly where: 'here' | 'on another';
  readonly followers: number;
}

const CASES: readonly Case[] = [
  { store: 'SQLite', where: 'here', followers: FOLLOWERS },
  { store: 'PostgreSQL', where: 'here', followers: 1 },
  { store: 'PostgreSQL', where: 'here', followers: FOLLOWERS },
  { store: 'PostgreSQL', where: 'on another', followers: 1 },
  { store: 'PostgreSQL', where: 'on another', followers: FOLLOWERS },
];

interface Run extends Case {
  readonly lag: Spread;
  readonly messages: number;
  readonly megabytes: number;
  /** How often the followed replica read messages; counted on PostgreSQL only. */
  readonly reads: number;
  /** How often there could have been a new message: the writes here, or the checks for changes of another replica. */
  readonly chances: number;
  readonly cpuS: number;
}

const nameOf = ({ store, where, followers }: Case): string => `${store}, ${followers} ${where}`;

async function startReplicas(installations: Installations, { store, where }: Case, number: number) {
  const installation = await installations.create(store, `followers_${number}`);
  const isHere = where === 'here';
  const working = await installations.start(isHere ? logged(installation) : installation, {
    STEWARD_DEPLOYMENT: 'simulated',
  });
  if (isHere) return { working, followed: working, all: [working] };
  // A replica without a deployment does not work on upgrades.
  const followed = await installations.start(logged(installation), { STEWARD_DEPLOYMENT: 'none' });
  return { working, followed, all: [working, followed] };
}

/** Runs an upgrade under the eyes of the followers. */
async function followUpgrade(working: Steward, followed: Steward, count: number) {
  const followers = startJobFollowers();
  const id = await startUpgrade(working);
  const url = `${followed.url}/admin/system/jobs/${id}/messages`;
  await followers.ask({ kind: 'follow', url, token: followed.token, count });
  const received = await followers.ask({ kind: 'end' });
  await followers.end();
  return { id, received };
}

async function measureCase(installations: Installations, one: Case, number: number): Promise<Run> {
  progress(`${nameOf(one)} …`);
  const { working, followed, all } = await startReplicas(installations, one, number);
  await fillDeployment(working, WORKLOADS, PACE);
  const count = () => ({
    reads: installations.countStatements(READ),
    writes: installations.countStatements(WRITTEN),
    cpu: cpuMicroseconds(followed.pid),
  });
  const before = count();
  const { id, received } = await followUpgrade(working, followed, one.followers);
  const after = count();
  const { status, job } = await waitForSuccess(working, id);
  await Promise.all(all.map((steward) => steward.end()));
  const messages = status.messages.length;
  if (received === undefined || received.disordered > 0 || received.messages.some((each) => each !== messages))
    throw new Error(`not every follower has heard all of the ${messages} messages once and in order`);
  const intervals = ((job.endedAt ?? Number.NaN) - job.startedAt) / INTERVAL_MS;
  return {
    ...one,
    lag: spreadOf(received.lags),
    messages,
    megabytes: received.megabytes,
    reads: after.reads - before.reads,
    chances: one.where === 'here' ? after.writes - before.writes : intervals,
    cpuS: (after.cpu - before.cpu) / 1e6,
  };
}

function print(runs: readonly Run[]): void {
  say(`\nAn upgrade of ${WORKLOADS} workloads is followed; from the time of a message to its arrival\n`);
  say(row('followers', 'p50', 'p99', 'longest', 'messages', 'sent', 'CPU'));
  for (const one of runs) {
    const { lag, messages, megabytes, cpuS } = one;
    say(row(nameOf(one), ...spreadCells(lag), String(messages), `${megabytes.toFixed(1)} MB`, `${cpuS.toFixed(2)} s`));
  }
  say('\nReads of the messages from PostgreSQL; chances are the writes here, and the intervals on another replica\n');
  say(row('followers', 'reads', 'chances', 'each'));
  for (const one of runs.filter(({ store }) => store === 'PostgreSQL'))
    say(row(nameOf(one), String(one.reads), one.chances.toFixed(0), (one.reads / one.chances).toFixed(2)));
}

export async function measureFollowers(installations: Installations): Promise<PartResult> {
  const runs: Run[] = [];
  for (const [n, one] of CASES.entries()) runs.push(await measureCase(installations, one, n));
  const many = runs.filter(({ followers }) => followers === FOLLOWERS);
  const counted = many.filter(({ store }) => store === 'PostgreSQL');
  if (counted.some(({ reads, chances }) => reads === 0 || chances === 0))
    throw new Error('the log of PostgreSQL has no statement like READ or WRITTEN: compare them with src/store/jobs');
  const lagBars = many.map((one) => ({
    name: `lag p99, ${nameOf(one)}`,
    measured: one.lag.p99,
    atMost: LAG_AT_MOST_MS,
    unit: 'ms',
  }));
  const readBars = counted.map((one) => ({
    name: `reads each, ${nameOf(one)}`,
    measured: one.reads / one.chances,
    atMost: READS_AT_MOST,
    unit: 'x',
  }));
  return { bars: [...lagBars, ...readBars], print: () => print(runs) };
}
