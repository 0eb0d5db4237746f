// What each phase does to a pair of PostgreSQL servers. A phase looks at the servers first and does what is missing, so that it can
// be run again after a crash at any moment.
//
// `former` is the primary before the job and `next` the standby that becomes the primary. At no time do both accept writes: `former`
// is demoted before `next` is promoted, and clients cannot connect to `next` until `readWrite` opens it.
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import { DeploymentRefusal } from '../../model/failure.ts';
import type { DatabasePhase } from '../../model/workload.ts';
import type { CommandCall, RunCommand } from './command.ts';
import type { InstanceAddress, InstanceFacts } from './instance.ts';
import {
  checkpoint,
  endSessions,
  factsOf,
  hasReloadedSince,
  isPrimary,
  isStandby,
  promote,
  timeOf,
} from './instance.ts';

/** A phase cannot go on, and a person must do something. */
export function refusal(reason: string, advice: string): DeploymentRefusal {
  return new DeploymentRefusal({ reason, lines: [], advice });
}

export interface PhaseContext {
  readonly former: InstanceAddress;
  readonly next: InstanceAddress;
  /** The version that the job installs; empty in `restore`. */
  readonly version: string;
  /** In `restore`: whether `next` may have become a primary. */
  readonly wasPromoted: boolean;
  readonly fence: number;
  readonly runCommand: RunCommand;
  readonly clock: Clock;
  /** Throws if another holder has taken over. */
  readonly stillHolds: () => Promise<void>;
  /** Says what the phase does at this time. */
  readonly say: (detail: string) => void;
}

const LOOK_AGAIN_MS = 20;
/** No client can write during this time. */
const CATCH_UP_MS = 30 * SECOND;
/** A standby that has lost its primary tries again every 5 s. */
const RECONNECT_MS = 10 * SECOND;
/** How far a standby may be behind when the primary is stopped. It receives this in less than a second. */
const NEAR_BYTES = 16n * 1024n * 1024n;
const START_MS = 120 * SECOND;

/** Runs a command, unless another holder has taken over. */
async function command(context: PhaseContext, call: Omit<CommandCall, 'fence'>): Promise<void> {
  await context.stillHolds();
  await context.runCommand({ ...call, fence: context.fence });
}

/** Looks again and again until the answer is there; undefined after the limit. */
async function lookUntil<T>(
  { clock }: PhaseContext,
  limitMs: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = clock.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || clock.now() >= end) return found;
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

/** The same, and fails after the limit. */
async function until<T>(
  context: PhaseContext,
  what: string,
  limitMs: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  context.say(what);
  const found = await lookUntil(context, limitMs, look);
  if (found !== undefined) return found;
  throw refusal(
    `Steward waited ${limitMs / SECOND} s: ${what}.`,
    'Look at the log of the server, repair it, then retry.',
  );
}

async function untilStandby(context: PhaseContext, instance: InstanceAddress): Promise<InstanceFacts> {
  return until(context, `${instance.name} starts as a standby`, START_MS, async () => {
    const facts = await factsOf(instance);
    return isStandby(facts) ? facts : undefined;
  });
}

async function untilPrimary(context: PhaseContext, instance: InstanceAddress): Promise<void> {
  await until(context, `${instance.name} starts as a primary`, START_MS, async () =>
    isPrimary(await factsOf(instance)) ? true : undefined,
  );
}

/** Waits until a standby has everything that another server has. */
async function untilCaughtUp(context: PhaseContext, behind: InstanceAddress, ahead: InstanceFacts): Promise<void> {
  await until(context, `${behind.name} receives the last changes`, CATCH_UP_MS, async () => {
    const facts = await factsOf(behind);
    return facts.kind === 'up' && facts.position >= ahead.position ? true : undefined;
  });
}

/** Waits until a standby is nearly as far as its primary, so that the time without writes is short. */
async function untilNear(context: PhaseContext): Promise<void> {
  const { former, next } = context;
  await until(context, `${next.name} receives the changes of ${former.name}`, START_MS, async () => {
    const [ahead, behind] = await Promise.all([factsOf(former), factsOf(next)]);
    const isNear = ahead.kind === 'up' && behind.kind === 'up' && ahead.position - behind.position <= NEAR_BYTES;
    return isNear ? true : undefined;
  });
}

/** Closes a server to clients, and ends their sessions when it admits no new ones. */
async function close(context: PhaseContext, instance: InstanceAddress): Promise<void> {
  const before = await timeOf(instance);
  await command(context, { verb: 'close', instance: instance.name });
  await until(context, `${instance.name} reads its new rules of access`, START_MS, async () =>
    (await hasReloadedSince(instance, before)) ? true : undefined,
  );
  await endSessions(instance);
}

/** A pair whose standby does not stream would lose what the standby lacks. */
async function expectReplication(context: PhaseContext, primary: InstanceFacts): Promise<void> {
  const { former, next } = context;
  const standby = await factsOf(next);
  const advice = 'Repair the replication, then retry. Nothing was changed.';
  if (standby.kind === 'down') throw refusal(`${next.name} does not answer: ${standby.reason}.`, advice);
  if (standby.systemId !== primary.systemId)
    throw refusal(`${next.name} is not a copy of ${former.name}.`, 'Correct the addresses in the settings.');
  if (isPrimary(standby))
    throw refusal(`${former.name} and ${next.name} both accept writes.`, 'Stop the one that is wrong.');
  const isStreaming = await lookUntil(context, RECONNECT_MS, async () => {
    const facts = await factsOf(former);
    return facts.kind === 'up' && facts.streamingStandbys > 0 ? true : undefined;
  });
  if (isStreaming === undefined) throw refusal(`${next.name} does not stream from ${former.name}.`, advice);
}

async function readOnly(context: PhaseContext): Promise<void> {
  const { former, next } = context;
  const facts = await factsOf(former);
  if (isPrimary(facts)) {
    await expectReplication(context, facts);
    await untilNear(context);
    context.say(`${next.name} is closed to clients`);
    await close(context, next);
    context.say(`${former.name} writes what it has in memory`);
    await checkpoint(former);
  }
  if (!isStandby(facts)) {
    context.say(`${former.name} is restarted as a standby`);
    await command(context, { verb: 'demote', instance: former.name });
  }
  await untilCaughtUp(context, next, await untilStandby(context, former));
}

async function expectFenced({ former }: PhaseContext): Promise<void> {
  if (isPrimary(await factsOf(former)))
    throw refusal(
      `${former.name} accepts writes, although it was restarted as a standby.`,
      'Find out who made it a primary. Its new changes are not in the other server.',
    );
}

async function promoteNext(context: PhaseContext): Promise<void> {
  const { next } = context;
  await expectFenced(context);
  if (isStandby(await factsOf(next))) {
    await close(context, next);
    context.say(`${next.name} becomes the primary`);
    await context.stillHolds();
    await promote(next);
  }
  await untilPrimary(context, next);
}

async function engine(context: PhaseContext): Promise<void> {
  const { next, version } = context;
  context.say(`${next.name} is restarted with the programs of ${version}`);
  await command(context, { verb: 'engine', instance: next.name, argument: version });
  await untilPrimary(context, next);
}

async function afterEngine(context: PhaseContext): Promise<void> {
  await untilPrimary(context, context.next);
  // A server that follows compares its data with the last checkpoint.
  await checkpoint(context.next);
}

/** The point of no return: from here on there are changes that `former` does not have. */
async function readWrite(context: PhaseContext): Promise<void> {
  await expectFenced(context);
  await untilPrimary(context, context.next);
  await command(context, { verb: 'open', instance: context.next.name });
}

async function roles(context: PhaseContext): Promise<void> {
  await command(context, { verb: 'announce', instance: context.next.name });
}

async function untilStreaming(context: PhaseContext, behind: InstanceAddress, ahead: InstanceAddress): Promise<void> {
  await until(context, `${behind.name} follows ${ahead.name}`, START_MS, async () => {
    const [standby, primary] = await Promise.all([factsOf(behind), factsOf(ahead)]);
    return isStandby(standby) && primary.kind === 'up' && primary.streamingStandbys > 0 ? true : undefined;
  });
}

async function followNext(context: PhaseContext): Promise<void> {
  const { former, next } = context;
  context.say(`${former.name} follows ${next.name}`);
  await command(context, { verb: 'follow', instance: former.name, argument: next.name });
  await untilStreaming(context, former, next);
}

/** Undoes the phases before `readWrite`. No client could write to `next`, so nothing is lost. */
async function restore(context: PhaseContext): Promise<void> {
  const { former, next, wasPromoted } = context;
  const before = await factsOf(former);
  if (before.kind === 'down') await command(context, { verb: 'demote', instance: former.name });
  if (!isPrimary(before)) {
    await untilStandby(context, former);
    await context.stillHolds();
    context.say(`${former.name} becomes the primary again`);
    await promote(former);
    await untilPrimary(context, former);
  }
  // A server that was promoted has its own history, even if no client has written to it.
  if (wasPromoted && !isStandby(await factsOf(next))) {
    context.say(`${next.name} gets a new copy of ${former.name}`);
    await command(context, { verb: 'reseed', instance: next.name, argument: former.name });
  }
  // A standby that was not changed need not work: it may be the reason why the job failed.
  if (wasPromoted) await untilStreaming(context, next, former);
  await command(context, { verb: 'open', instance: next.name });
}

export const PHASES: Readonly<Record<DatabasePhase, (context: PhaseContext) => Promise<void>>> = {
  readOnly,
  promote: promoteNext,
  engine,
  afterEngine,
  readWrite,
  roles,
  standby: followNext,
  restore,
};
