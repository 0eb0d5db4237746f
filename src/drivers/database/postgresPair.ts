// A pair of PostgreSQL servers that Steward owns: a primary and its standby. A release makes the standby the primary and upgrades
// it, so that the former primary stays as it was until the new one is opened for writing.
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { DocumentStore } from '../../foundation/documentStore.ts';
import type { Failure } from '../../model/failure.ts';
import type { DatabaseInstance } from '../../model/workload.ts';
import type { Database, DatabaseDescription } from '../../upgrades/ports/database.ts';
import type { DatabaseAct, Observation } from '../../upgrades/ports/deployment.ts';
import type { RunCommand } from './command.ts';
import type { InstanceAddress, InstanceState } from './instance.ts';
import { isPrimary } from './instance.ts';
import { operatorOf } from './operators.ts';
import type { PhaseContext } from './phases/phaseContext.ts';
import { Overtaken, refusal } from './phases/phaseContext.ts';
import { describeFailure } from './phases/phaseFailure.ts';
import { runPhase } from './phases/phases.ts';
import type { PhaseRun } from './runs.ts';
import { createPhaseRuns } from './runs.ts';
import type { Servers } from './servers.ts';
import { sqlServers } from './servers.ts';
import { lookFirmly } from './phases/waits.ts';

export interface PostgresPairOptions {
  readonly instances: readonly [InstanceAddress, InstanceAddress];
  readonly runCommand: RunCommand;
  readonly documents: DocumentStore;
  readonly clock: Clock;
  /** The system identifier of the server with Steward's own store, if that is a PostgreSQL server. */
  readonly storeSystemId: string | undefined;
  readonly servers?: Servers;
}

interface Seen {
  readonly instance: InstanceAddress;
  readonly facts: InstanceState;
  /** What the command says about it. */
  readonly labels: ReadonlyMap<string, string>;
}

/**
 * How many numbers each fence has. The number of a command is its fence, and then a count of this process: each claim of a job has
 * its own fence, so that no other process counts on from there.
 */
const NUMBERS_OF_FENCE = 1_000_000;

/** What a phase works with besides its own name: the roles before the job, and what is known of it. */
type Grounds = Pick<PhaseRun, 'primary' | 'standby'> & Pick<PhaseContext, 'version' | 'wasPromoted'>;

function keyOf({ run, fence }: Pick<PhaseRun, 'run' | 'fence'>): string {
  return `${fence} ${run}`;
}

function isClosed({ labels }: Seen): boolean {
  return labels.get('closed') === 'yes';
}

function isWritable(seen: Seen): boolean {
  return isPrimary(seen.facts) && !isClosed(seen);
}

function instanceOf(seen: Seen, primary: string): DatabaseInstance {
  const { instance, facts } = seen;
  return {
    name: instance.name,
    role: instance.name === primary ? 'primary' : 'standby',
    isReadOnly: !isWritable(seen),
    engine: facts.kind === 'up' ? facts.version : 'unknown',
  };
}

/** The name of the primary. While none is one, the roles before the job count. */
function primaryOf(all: readonly Seen[], last: PhaseRun | undefined): string {
  const found = all.find(({ facts }) => isPrimary(facts));
  return found?.instance.name ?? last?.primary ?? all[0]?.instance.name ?? '';
}

/** Says that a server has Steward's own store. */
export function holdsStore(name: string): string {
  return `STEWARD_STORE is on the server ${name} of STEWARD_DATABASE. An upgrade stops that server, and the job needs its journal all the time. Give Steward another server, or sqlite.`;
}

/** Says that a server refuses the commands of this Steward; undefined if it does not. */
function strangerOf({ instance: { name }, labels }: Seen, fence: number): string | undefined {
  const number = Number(labels.get('fence') ?? 0);
  if (!(number >= (fence + 1) * NUMBERS_OF_FENCE)) return undefined;
  return `The command of the database server \`${name}\` has recorded the fence ${number}, which this Steward has not sent, and would refuse lower ones. If no other Steward uses the pair, remove that record (the example of the command keeps it in $HBA.fence).`;
}

interface Known {
  /** The run that was begun last. */
  readonly last: PhaseRun | undefined;
  /** Of the last holder. */
  readonly fence: number;
  readonly storeSystemId: string | undefined;
}

/** Why a release cannot be installed now; undefined if it can. */
function troubleOf(all: readonly Seen[], { last, fence, storeSystemId }: Known): string | undefined {
  for (const seen of all) {
    const { instance, labels, facts } = seen;
    const operator = operatorOf(labels, facts.kind === 'up' ? facts.sessions : []);
    if (operator !== undefined)
      return `The database server \`${instance.name}\` is managed by ${operator}. Steward upgrades only a pair that nothing else manages.`;
    if (facts.kind === 'down') return `The database server \`${instance.name}\` does not answer: ${facts.reason}.`;
    if (facts.systemId === storeSystemId) return holdsStore(instance.name);
    const stranger = strangerOf(seen, fence);
    if (stranger !== undefined) return stranger;
  }
  if (last !== undefined && last.state !== 'done')
    return `The phase \`${last.phase}\` of the database ${last.state === 'running' ? 'is running' : 'has failed'}.`;
  const writable = all.filter(isWritable);
  if (writable.length !== 1) return `${writable.length} of ${all.length} database servers accept writes, not one.`;
  const streaming = writable.every(({ facts }) => facts.kind === 'up' && facts.streamingStandbys > 0);
  return streaming ? undefined : 'The standby of the database does not stream from its primary.';
}

export function createPostgresPair(options: PostgresPairOptions): Database {
  const { instances, runCommand, documents, clock, storeSystemId, servers = sqlServers } = options;
  const runs = createPhaseRuns(documents);
  /** What the phases that this process runs do at this time, by run and fence: this process may have lost the job and got it again. */
  const running = new Map<string, string>();
  /** The run that this process has begun last. A run before it may still be waiting, but sends nothing any more. */
  let latest = '';
  let sent = 0;

  function nextNumber(run: PhaseRun): number {
    if (latest !== keyOf(run)) throw new Overtaken('another run has begun');
    sent += 1;
    if (sent >= NUMBERS_OF_FENCE) throw refusal('This process has sent too many commands.', 'Restart Steward.');
    return run.fence * NUMBERS_OF_FENCE + sent;
  }

  function named(name: string): InstanceAddress {
    const found = instances.find((one) => one.name === name);
    if (found === undefined) throw refusal(`There is no database server ${name}.`, 'Correct the settings.');
    return found;
  }

  async function labelsOf({ name }: InstanceAddress, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const lines = await runCommand({ verb: 'describe', instance: name, fence: 0 }, signal);
    const pairs = lines.map((line) => /^([^=]+)=(.*)$/.exec(line)).filter((one) => one !== null);
    return new Map(pairs.map(([, key = '', value = '']) => [key, value]));
  }

  async function look(signal?: AbortSignal): Promise<readonly Seen[]> {
    return Promise.all(
      instances.map(async (instance) => {
        const [facts, labels] = await Promise.all([servers.facts(instance), labelsOf(instance, signal)]);
        return { instance, facts, labels };
      }),
    );
  }

  /** Records how a run ended, also if the store does not answer for a while: without it, the job would wait in vain. */
  async function recordEnd({ run, fence }: PhaseRun, failure: Failure | undefined): Promise<void> {
    for (;;)
      try {
        return await runs.end(run, fence, failure);
      } catch {
        await clock.sleep(SECOND);
      }
  }

  async function execute(run: PhaseRun, { version, wasPromoted }: Grounds): Promise<void> {
    try {
      await runPhase(run.phase, {
        former: named(run.primary),
        next: named(run.standby),
        version,
        wasPromoted,
        servers,
        runCommand,
        clock,
        nextNumber: () => nextNumber(run),
        say: (detail) => void running.set(keyOf(run), detail),
        async stillHolds() {
          if (await runs.isOvertaken(run.fence)) throw new Overtaken('another holder has taken over');
          if (latest !== keyOf(run)) throw new Overtaken('another run has begun');
        },
      });
      await recordEnd(run, undefined);
    } catch (error) {
      if (!(error instanceof Overtaken))
        await recordEnd(run, await describeFailure(error, instances, { runCommand, clock }));
    } finally {
      running.delete(keyOf(run));
    }
  }

  /** What an act works with. `restore` takes it from the runs that it undoes; undefined if none of them was begun. */
  async function groundsOf(act: DatabaseAct): Promise<Grounds | undefined> {
    if (act.phase !== 'restore') return { ...act, wasPromoted: false };
    const undone = (await runs.find(...act.undoes)).filter((one) => one !== undefined);
    const [first] = undone;
    return first && { ...first, version: '', wasPromoted: undone.some(({ phase }) => phase === 'promote') };
  }

  /** Looks at the new primary again after its upgrade, because this is asked right before the point of no return. */
  async function readyToOpen({ standby }: PhaseRun): Promise<Observation> {
    const state = await lookFirmly({ servers, clock }, named(standby));
    if (state.kind === 'up' && !state.isInRecovery) return { state: 'done', lines: [] };
    const trouble = state.kind === 'up' ? 'is not a primary any more' : `does not answer: ${state.reason}`;
    const advice = 'Look at the log of the server, repair it, then retry.';
    return { state: 'failed', failure: { reason: `${standby} ${trouble}.`, lines: [], advice } };
  }

  async function observed(run: PhaseRun | undefined): Promise<Observation> {
    if (run === undefined) return { state: 'absent' };
    if (run.state === 'done') return run.phase === 'afterEngine' ? readyToOpen(run) : { state: 'done', lines: [] };
    if (run.state === 'running') return { state: 'running', detail: running.get(keyOf(run)) ?? 'it is under way' };
    return { state: 'failed', failure: run.failure ?? { reason: 'It failed.', lines: [], advice: 'Retry.' } };
  }

  return {
    async describe(signal): Promise<DatabaseDescription> {
      const [all, last, fence] = await Promise.all([look(signal), runs.last(), runs.fence()]);
      const primary = primaryOf(all, last);
      return {
        instances: all.map((one) => instanceOf(one, primary)),
        trouble: troubleOf(all, { last, fence, storeSystemId }),
        down: all.filter(({ facts }) => facts.kind === 'down').map(({ instance }) => instance.name),
      };
    },

    takeOver: (fence) => runs.takeOver(fence),

    async begin(act, fence) {
      // An undo is begun also if `takeOver` was not answered. What it undoes is complete only if no earlier holder can begin more.
      await runs.takeOver(fence);
      const grounds = await groundsOf(act);
      const { run, phase } = act;
      const [first, second] = instances;
      const { primary, standby } = grounds ?? { primary: first.name, standby: second.name };
      const begun: PhaseRun = { run, phase, primary, standby, fence, begunAt: clock.now(), state: 'running' };
      const result = await runs.begin(begun);
      if (result === 'overtaken') return { kind: 'overtaken' };
      if (result === 'begun' && grounds === undefined) await runs.end(run, fence, undefined);
      else if (result === 'begun' && grounds !== undefined && !running.has(keyOf(begun))) {
        running.set(keyOf(begun), 'it begins');
        latest = keyOf(begun);
        void execute(begun, grounds);
      }
      return { kind: 'begun' };
    },

    async observe(acts) {
      const found = await runs.find(...acts.map(({ run }) => run));
      return Promise.all(found.map(observed));
    },
  };
}
