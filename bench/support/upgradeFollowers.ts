import { startFollowers } from './followers.ts';
import type { Spread } from './percentile.ts';
import { spreadCells, spreadOf } from './percentile.ts';
import type { Found, Place, Places, StoreName } from './places.ts';
import { watched } from './places.ts';
import { progress, row, say } from './report.ts';
import { cpuMicroseconds } from './running.ts';
import type { Client } from './steward.ts';
import type { Pace } from './upgradeWorld.ts';
import { fillDeployment, startUpgrade, succeeded } from './upgradeWorld.ts';

const FOLLOWERS = 200;
const WORKLOADS = 48;
const PACE: Pace = { rolloutMs: 1000, hookMs: 500, databaseMs: 500 };
const LAG_AT_MOST_MS = 500;
/** How often a replica looks whether another has changed anything. */
const INTERVAL_MS = 300;
/** Who begins to follow may look once more. */
const READS_AT_MOST = 1.1;
const WORKING = { STEWARD_DEPLOYMENT: 'simulated' };
/** One beside no deployment works on no upgrade. */
const LOOKING_ON = { STEWARD_DEPLOYMENT: 'none' };

/** What is read of the messages, and what is written with each change of the job. */
const READ = 'from job_entry where job_id = $1 and number > $2';
const WRITTEN = 'update job set cursor = coalesce(';

type Where = 'here' | 'on another replica';

interface Case {
  readonly store: StoreName;
  readonly where: Where;
  readonly followers: number;
}

const CASES: readonly Case[] = [
  { store: 'SQLite', where: 'here', followers: FOLLOWERS },
  { store: 'PostgreSQL', where: 'here', followers: 1 },
  { store: 'PostgreSQL', where: 'here', followers: FOLLOWERS },
  { store: 'PostgreSQL', where: 'on another replica', followers: 1 },
  { store: 'PostgreSQL', where: 'on another replica', followers: FOLLOWERS },
];

interface Run extends Case {
  readonly lag: Spread;
  readonly messages: number;
  readonly megabytes: number;
  /** Of the messages, by the replica that is followed; only PostgreSQL tells. */
  readonly reads: number;
  /** In how many steps there could have been a new message: the writes here, the looks at what others write. */
  readonly chances: number;
  readonly cpuS: number;
}

const nameOf = ({ store, where, followers }: Case): string =>
  `${store}, ${followers} ${where === 'here' ? where : 'on another'}`;

async function startBoth(places: Places, place: Place, where: Where): Promise<{ working: Client; followed: Client }> {
  const isHere = where === 'here';
  const working = await places.start(isHere ? watched(place) : place, WORKING);
  return { working, followed: isHere ? working : await places.start(watched(place), LOOKING_ON) };
}

async function run(places: Places, project: string, one: Case, number: number): Promise<Run> {
  progress(`${nameOf(one)} …`);
  const place = await places.place(one.store, `followers_${number}`);
  const { working, followed } = await startBoth(places, place, one.where);
  await fillDeployment(project, working, WORKLOADS, PACE);
  const followers = startFollowers();
  const counted = (): readonly number[] => [READ, WRITTEN].map(places.statements);
  const [read = 0, written = 0] = counted();
  const cpu = cpuMicroseconds(followed.pid);
  const { id } = await startUpgrade(working);
  const url = `${followed.url}/admin/system/jobs/${id}/messages`;
  await followers.ask({ kind: 'follow', url, token: followed.token, followers: one.followers });
  const heard = await followers.ask({ kind: 'end' });
  const cpuS = (cpuMicroseconds(followed.pid) - cpu) / 1e6;
  const [readNow = 0, writtenNow = 0] = counted();
  followers.end();
  const { status, job } = await succeeded(working, id);
  await Promise.all(one.where === 'here' ? [working.end()] : [working.end(), followed.end()]);
  const messages = status.messages.length;
  if (heard === undefined || heard.disordered > 0 || heard.messages.some((count) => count !== messages))
    throw new Error(`not every follower has heard all of the ${messages} messages once and in order`);
  const tookMs = (job.endedAt ?? Number.NaN) - job.startedAt;
  return {
    ...one,
    lag: spreadOf(heard.lags),
    messages,
    megabytes: heard.megabytes,
    reads: readNow - read,
    chances: one.where === 'here' ? writtenNow - written : tookMs / INTERVAL_MS,
    cpuS,
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

export async function measureFollowers(places: Places, project: string): Promise<Found> {
  const runs: Run[] = [];
  for (const [n, one] of CASES.entries()) runs.push(await run(places, project, one, n));
  const many = runs.filter(({ followers }) => followers === FOLLOWERS);
  const counted = many.filter(({ store }) => store === 'PostgreSQL');
  if (counted.some(({ reads }) => reads === 0))
    throw new Error('no read of messages was seen in the log of PostgreSQL');
  return {
    bars: [
      ...many.map((one) => ({
        name: `lag p99, ${nameOf(one)}`,
        measured: one.lag.p99,
        atMost: LAG_AT_MOST_MS,
        unit: 'ms',
      })),
      ...counted.map((one) => ({
        name: `reads each, ${nameOf(one)}`,
        measured: one.reads / one.chances,
        atMost: READS_AT_MOST,
        unit: 'x',
      })),
    ],
    print: () => print(runs),
  };
}
