// A job as its holders see it: a journal, which only the last holder can write, and the way a holder goes from phase to phase.
import { createPostgresPair } from '../../../../src/drivers/database/postgresPair.ts';
import type { Servers } from '../../../../src/drivers/database/servers.ts';
import type { DocumentStore } from '../../../../src/foundation/documentStore.ts';
import type { Database } from '../../../../src/upgrades/ports/database.ts';
import type { DatabaseAct, Observation } from '../../../../src/upgrades/ports/deployment.ts';
import { SWITCH_OVER, actOf, restoreOf } from '../switchOver.ts';
import type { Switch } from '../switchOver.ts';
import type { Network, Process } from './network.ts';
import type { PairModel } from './pairModel.ts';
import { SILENT } from './pairModel.ts';

type Phase = (typeof SWITCH_OVER)[number];

/** As in src/upgrades: before `readWrite` a failure undoes the job, after it the job stops and is retried. */
export interface ModelJob {
  readonly roles: Switch;
  /** Before this phase a person cancels the job. */
  readonly cancelBefore: Phase | undefined;
  /** Whether a person has cancelled the job. This has no effect after the point of no return. */
  isCancelled: boolean;
  fence: number;
  attempt: number;
  readonly done: Set<Phase>;
  readonly begun: DatabaseAct[];
  isPastReturn: boolean;
  isUndoing: boolean;
  /** `stopped`: a retry goes on. */
  state: 'running' | 'stopped' | 'succeeded' | 'undone';
}

/** The server of a process, over the network. */
export function openModelPair(
  process: Process,
  { network, pair, documents }: { network: Network; pair: PairModel; documents: DocumentStore },
): Database {
  const { send, clock } = network;
  // A store access is a message like any other. The documents are in memory, so that an effect is complete at once.
  const overNetwork: DocumentStore = {
    read: async (...prefixes) => send(process, `read ${prefixes.join()}`, () => documents.read(...prefixes)),
    change: async (prefixes, decide) =>
      send(process, `change ${prefixes.join()}`, () => documents.change(prefixes, decide)),
  };
  const servers: Servers = {
    facts: ({ name }) => send(process, `facts ${name}`, () => pair.facts(name)).catch(() => SILENT),
    time: ({ name }) => send(process, `time ${name}`, () => (pair.answer(name), '')),
    hasReloadedSince: ({ name }) => send(process, `reloaded ${name}`, () => (pair.answer(name), true)),
    endSessions: ({ name }) => send(process, `end sessions ${name}`, () => void pair.answer(name)),
    checkpoint: ({ name }) => send(process, `checkpoint ${name}`, () => void pair.answer(name)),
    async promote({ name }, number, mayPromote) {
      const session = await send(process, `connect ${name}`, () => pair.openSession(name, number));
      await mayPromote();
      await send(process, `promote ${name}`, () => pair.promoteIn(name, session));
    },
    endPromotions: ({ name }, below) => send(process, `end promotions ${name}`, () => pair.endPromotions(name, below)),
  };
  return createPostgresPair({
    instances: [
      { name: 'a', url: '' },
      { name: 'b', url: '' },
    ],
    servers,
    documents: overNetwork,
    clock,
    storeSystemId: undefined,
    async runCommand(call) {
      if (call.verb === 'describe' || call.verb === 'log') return [];
      await send(process, `${call.verb} ${call.instance}`, () => pair.runCommand(call));
      return [];
    },
  });
}

interface Holder {
  readonly process: Process;
  readonly database: Database;
  readonly network: Network;
}

/** A disturbed holder gives up a phase after this number of looks, although the phase goes on: its deadline has passed. */
const MOST_LOOKS = 60;

function createHolder(job: ModelJob, fence: number, { process, database, network }: Holder) {
  const { send, clock } = network;

  async function insist<T>(call: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await call();
      } catch {
        await clock.sleep(0);
      }
  }

  return {
    takeOver: () => insist(() => database.takeOver(fence)),

    /** Writes to the journal. False if another holder has the job. */
    append: (change: () => void): Promise<boolean> =>
      insist(() => send(process, 'journal', () => job.fence === fence && (change(), true))),

    async perform(act: DatabaseAct): Promise<Observation['state'] | 'overtaken'> {
      if ((await insist(() => database.begin(act, fence))).kind === 'overtaken') return 'overtaken';
      for (let looks = 0; ; looks += 1) {
        const [seen] = await insist(() => database.observe([act]));
        if (seen?.state !== 'running') return seen?.state ?? 'absent';
        if (process.isDisturbed && looks > MOST_LOOKS) return 'failed';
        await clock.sleep(0);
      }
    },
  };
}

/** Works on a job until it has ended, or another holder has it. */
export async function hold(job: ModelJob, fence: number, holder: Holder): Promise<void> {
  const { takeOver, append, perform } = createHolder(job, fence, holder);

  async function undo(): Promise<void> {
    if (!(await append(() => void (job.isUndoing = true)))) return;
    const ended = await perform(restoreOf(job.begun, `${job.roles.job}#${job.attempt}`));
    if (ended !== 'overtaken') await append(() => void (job.state = ended === 'done' ? 'undone' : 'stopped'));
  }

  await takeOver();
  if (job.isUndoing) return undo();
  for (const phase of SWITCH_OVER) {
    if (job.done.has(phase)) continue;
    job.isCancelled ||= phase === job.cancelBefore;
    if (job.isCancelled && !job.isPastReturn) return undo();
    const act = actOf(phase, { ...job.roles, job: `${job.roles.job}#${job.attempt}` });
    const begin = (): void => {
      job.isPastReturn ||= phase === 'readWrite';
      if (!job.begun.some(({ run }) => run === act.run)) job.begun.push(act);
    };
    if (!(await append(begin))) return;
    const ended = await perform(act);
    if (ended === 'overtaken') return;
    if (ended !== 'done') {
      if (!job.isPastReturn) return undo();
      return void (await append(() => void (job.state = 'stopped')));
    }
    if (!(await append(() => void job.done.add(phase)))) return;
  }
  await append(() => void (job.state = 'succeeded'));
}
