// What each phase does to a pair of PostgreSQL servers. A phase looks at the servers first and does what is missing, so that it can
// be run again after a crash at any moment.
//
// `former` is the primary before the job and `next` the standby that becomes the primary. At no time do both accept writes: `former`
// is demoted before `next` is promoted, and clients cannot connect to `next` until `readWrite` opens it. docs/database.md has the
// argument for requests that are late, repeated or lost.
import { SECOND } from '../../../foundation/clock.ts';
import type { DatabasePhase } from '../../../model/workload.ts';
import type { InstanceAddress, InstanceFacts } from '../instance.ts';
import { isPrimary, isStandby } from '../instance.ts';
import type { PhaseContext } from './phaseContext.ts';
import { command, refusal } from './phaseContext.ts';
import { restore } from './restore.ts';
import { closeToClients, endEarlierPromotions, promote } from './roles.ts';
import { lookFirmly, lookUntil, until, untilPrimary, untilStandby, untilStreaming, watched } from './waits.ts';

/** No client can write during this time. */
const CATCH_UP_MS = 30 * SECOND;
/** A standby that has lost its primary tries again every 5 s. */
const RECONNECT_MS = 10 * SECOND;
/** The second look, when the standby is closed to clients already. */
const STILL_STREAMING_MS = SECOND;
/** How far a standby may be behind when the primary is stopped. It receives this in less than a second. */
const NEAR_BYTES = 16n * 1024n * 1024n;

/** Waits until a standby has everything that another server has. */
async function untilCaughtUp(context: PhaseContext, ahead: InstanceFacts): Promise<void> {
  const { former, next } = context;
  const wait = {
    doing: `${next.name} receives the last changes of ${former.name}`,
    missing: `${next.name} has not received the last changes of ${former.name}`,
    limitMs: CATCH_UP_MS,
  };
  await until(context, wait, async (see) => {
    const facts = await see(next);
    return facts.kind === 'up' && facts.position >= ahead.position ? true : undefined;
  });
}

/** Waits until a standby is nearly as far as its primary, so that the time without writes is short. */
async function untilNear(context: PhaseContext): Promise<void> {
  const { former, next } = context;
  const wait = {
    doing: `${next.name} receives the changes of ${former.name}`,
    missing: `${next.name} is more than ${NEAR_BYTES / 1024n / 1024n} MB behind ${former.name}`,
  };
  await until(context, wait, async (see) => {
    const [ahead, behind] = await Promise.all([see(former), see(next)]);
    const isNear = ahead.kind === 'up' && behind.kind === 'up' && ahead.position - behind.position <= NEAR_BYTES;
    return isNear ? true : undefined;
  });
}

/** A pair whose standby does not stream would lose what the standby lacks. */
async function expectStreaming(context: PhaseContext, limitMs: number): Promise<void> {
  const { former, next, servers } = context;
  const isStreaming = await lookUntil(context, limitMs, async () => {
    const facts = await servers.facts(former);
    return facts.kind === 'up' && facts.streamingStandbys > 0 ? true : undefined;
  });
  if (isStreaming === undefined)
    throw refusal(`${next.name} does not stream from ${former.name}.`, 'Repair the replication, then retry.');
}

async function expectReplication(context: PhaseContext, primary: InstanceFacts): Promise<void> {
  const { former, next } = context;
  const standby = await lookFirmly(context, next);
  if (standby.kind === 'down')
    throw refusal(`${next.name} does not answer: ${standby.reason}.`, 'Repair the server, then retry.');
  if (standby.systemId !== primary.systemId)
    throw refusal(`${next.name} is not a copy of ${former.name}.`, 'Correct the addresses in the settings.');
  if (isPrimary(standby))
    throw refusal(`${former.name} and ${next.name} both accept writes.`, 'Stop the one that is wrong.');
  await expectStreaming(context, RECONNECT_MS);
}

async function readOnly(context: PhaseContext): Promise<void> {
  const { former, next, servers } = context;
  const facts = await lookFirmly(context, former);
  if (facts.kind === 'down' && facts.how === 'silent')
    throw refusal(`${former.name} does not answer: ${facts.reason}.`, 'Repair the server, then retry.');
  if (isPrimary(facts)) {
    await expectReplication(context, facts);
    await untilNear(context);
    context.say(`${next.name} is closed to clients`);
    await closeToClients(context, next);
    context.say(`${former.name} writes what it has in memory`);
    await watched(context, former, servers.checkpoint(former));
    await expectStreaming(context, STILL_STREAMING_MS);
  }
  if (!isStandby(facts)) {
    context.say(`${former.name} is restarted as a standby`);
    await command(context, { verb: 'demote', instance: former.name });
  }
  await untilCaughtUp(context, await untilStandby(context, former));
}

/** A server that does not answer now has its mark as a standby. */
async function expectFenced({ former, servers }: PhaseContext): Promise<void> {
  if (isPrimary(await servers.facts(former)))
    throw refusal(
      `${former.name} accepts writes, although it was restarted as a standby.`,
      'Find out who made it a primary. Its new changes are not in the other server.',
    );
}

async function promoteNext(context: PhaseContext): Promise<void> {
  const { next } = context;
  await expectFenced(context);
  await until(context, aliveWait(next), async (see) => ((await see(next)).kind === 'up' ? true : undefined));
  // Also if it is a primary already: then this raises the number on it, which refuses earlier commands.
  await closeToClients(context, next);
  if (isStandby(await lookFirmly(context, next))) {
    context.say(`${next.name} becomes the primary`);
    await promote(context, next);
  }
  await untilPrimary(context, next);
}

function aliveWait({ name }: InstanceAddress) {
  return { doing: `${name} answers`, missing: `${name} has not started` };
}

async function engine(context: PhaseContext): Promise<void> {
  const { next, version } = context;
  // A server that is not there is started by the command. One that is frozen would keep the command waiting.
  await until(context, aliveWait(next), async (see) => {
    const state = await see(next);
    return state.kind === 'up' || state.how === 'refused' ? true : undefined;
  });
  context.say(`${next.name} is restarted with the programs of ${version}`);
  await command(context, { verb: 'engine', instance: next.name, argument: version });
  await untilPrimary(context, next);
}

async function afterEngine(context: PhaseContext): Promise<void> {
  const { next, servers } = context;
  await untilPrimary(context, next);
  // A server that follows compares its data with the last checkpoint.
  await watched(context, next, servers.checkpoint(next));
}

/** The point of no return: from here on there are changes that `former` does not have. */
async function readWrite(context: PhaseContext): Promise<void> {
  const { former, next } = context;
  await expectFenced(context);
  const advice = `Start ${next.name}, which has all changes, then retry: the job opens it. If it is lost and \`describe ${next.name}\` of the command prints closed=yes, no client has written to it; then make ${former.name} the primary by hand (docs/database.md, "By hand").`;
  await untilPrimary(context, next, { advice });
  await command(context, { verb: 'open', instance: next.name });
}

async function roles(context: PhaseContext): Promise<void> {
  await command(context, { verb: 'announce', instance: context.next.name });
}

async function followNext(context: PhaseContext): Promise<void> {
  const { former, next } = context;
  context.say(`${former.name} follows ${next.name}`);
  await command(context, { verb: 'follow', instance: former.name, argument: next.name });
  await untilStreaming(context, former, next);
}

const PHASES: Readonly<Record<DatabasePhase, (context: PhaseContext) => Promise<void>>> = {
  readOnly,
  promote: promoteNext,
  engine,
  afterEngine,
  readWrite,
  roles,
  standby: followNext,
  restore,
};

/** Runs a phase, after the sessions are ended in which an earlier run could still change the role of a server. */
export async function runPhase(phase: DatabasePhase, context: PhaseContext): Promise<void> {
  const { former, next } = context;
  await Promise.all([former, next].map((instance) => endEarlierPromotions(context, instance)));
  await PHASES[phase](context);
}
