// One order of events: jobs whose holders die or go on after they were overtaken, servers that stand still for a while, and messages
// that are late, repeated or lost. The last holder works undisturbed, and then everything arrives that is still late.
import type { Database } from '../../../../src/upgrades/ports/database.ts';
import { memoryDocuments } from '../memoryDocuments.ts';
import { SWITCH_OVER } from '../switchOver.ts';
import type { ModelJob } from './modelJob.ts';
import { hold, openModelPair } from './modelJob.ts';
import type { Process, Random } from './network.ts';
import { createNetwork, seededRandom } from './network.ts';
import { createPairModel } from './pairModel.ts';

const TAKE_OVER_CHANCE = 1 / 300;
/** A holder that waits for a late message loses its lease. */
const TAKE_OVER_CHANCE_IF_LATE = 1 / 15;
const FREEZE_CHANCE = 1 / 1000;
const THAW_CHANCE = 1 / 25;
const DEATH_CHANCE = 0.4;
/** A person may cancel a job that does not go on. */
const CANCEL_CHANCE = 0.5;
const SAME_PROCESS_CHANCE = 0.15;
const MAX_JOBS = 2;
const MAX_STEPS = 30_000;
/** Processes that were overtaken go on for a while. */
const STEPS_AFTER_END = 100;

export interface Played {
  /** What arrived, in its order. */
  readonly trace: string;
  /** How many requests arrived after a takeover that came after them. */
  readonly lateArrivals: number;
  /** Undefined if everything held. */
  readonly problem: string | undefined;
}

function newJob(number: number, primary: string, random: Random): ModelJob {
  const standby = primary === 'a' ? 'b' : 'a';
  const cancelBefore = random() < 0.4 ? SWITCH_OVER[1 + Math.floor(random() * 4)] : undefined;
  return {
    roles: { primary, standby, job: String(number) },
    cancelBefore,
    isCancelled: false,
    fence: 0,
    attempt: 1,
    done: new Set(),
    begun: [],
    isPastReturn: false,
    isUndoing: false,
    state: 'running',
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Plays the order of events that a seed stands for. */
export async function playScenario(seed: number): Promise<Played> {
  const random = seededRandom(seed);
  const network = createNetwork(random);
  const pair = createPairModel(random);
  const documents = memoryDocuments();
  const processes: { readonly process: Process; readonly database: Database }[] = [];
  let job = newJob(1, 'a', random);
  let jobs = 1;
  let fence = 0;
  let takeOversLeft = 1 + Math.floor(random() * 3);

  /** Gives the job to a holder: a new process, or one that has lost it before. */
  function claim(): void {
    const last = processes.at(-1);
    if (last !== undefined && random() < DEATH_CHANCE) last.process.isDead = true;
    const isDisturbed = takeOversLeft > 0;
    let holder = isDisturbed && random() < SAME_PROCESS_CHANCE ? last : undefined;
    if (holder === undefined || holder.process.isDead) {
      const process: Process = { name: String(processes.length + 1), isDead: false, isDisturbed };
      holder = { process, database: openModelPair(process, { network, pair, documents }) };
      processes.push(holder);
    }
    if (fence > 0) network.takenOver();
    fence += 1;
    job.fence = fence;
    void hold(job, fence, { ...holder, network });
  }

  function disturb(): void {
    if (takeOversLeft > 0 && random() < (network.hasLate() ? TAKE_OVER_CHANCE_IF_LATE : TAKE_OVER_CHANCE)) {
      takeOversLeft -= 1;
      if (random() < CANCEL_CHANCE) job.isCancelled = true;
      claim();
    }
    for (const server of pair.servers)
      if (server.isFrozen) server.isFrozen = takeOversLeft > 0 && random() > THAW_CHANCE;
      else server.isFrozen = takeOversLeft > 0 && random() < FREEZE_CHANCE;
  }

  /** Goes on after a job has ended or stopped. False if that was the last one. */
  function goOn(): boolean {
    if (job.state === 'running') return true;
    if (job.state === 'stopped') {
      job.attempt += 1;
      job.state = 'running';
    } else {
      if (jobs === MAX_JOBS && takeOversLeft === 0) return false;
      const primary = pair.servers.find(({ role, isOpen }) => role === 'primary' && isOpen);
      if (primary === undefined) return false;
      if (jobs === MAX_JOBS) takeOversLeft = 0;
      jobs = Math.min(jobs + 1, MAX_JOBS);
      job = newJob(fence + 1, primary.name, random);
    }
    claim();
    return true;
  }

  async function play(): Promise<string | undefined> {
    claim();
    for (let step = 0; goOn(); step += 1) {
      if (step > MAX_STEPS) return 'the job does not end';
      network.step();
      pair.pass();
      disturb();
      const violation = pair.violation();
      if (violation !== undefined) return violation;
      await turn();
    }
    network.drain();
    for (let step = 0; step < STEPS_AFTER_END || network.hasLate(); step += 1) {
      network.step();
      pair.pass();
      const violation = pair.violation();
      if (violation !== undefined) return `${violation}, after the end`;
      await turn();
    }
    return pair.unhealthy();
  }

  const problem = await play();
  return { trace: network.trace.join('\n'), lateArrivals: network.lateArrivals(), problem };
}
