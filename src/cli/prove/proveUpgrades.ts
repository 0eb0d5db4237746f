// Proves the promises about upgrades on the simulated deployment: a job goes on after each kill, ends once, leaves the version that it
// names, and opens the system for writes again.
import { SECOND, systemClock } from '../../foundation/clock.ts';
import type { Answer } from '../../wire/client/call.ts';
import { jobOperations } from '../../wire/operations/jobOperations.ts';
import { modeOperations } from '../../wire/operations/systemOperations.ts';
import { upgradeOperations } from '../../wire/operations/upgradeOperations.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import type { CallOf } from '../remote/typedCall.ts';
import { callOperation } from '../remote/typedCall.ts';
import { simulationOperations } from '../remote/simulationOperations.ts';
import type { Faults } from './faults.ts';
import { createFaults, faultText } from './faults.ts';
import type { ProofRun } from './proofRun.ts';
import { createRandom } from './random.ts';
import type { Replicas } from './replicas.ts';
import { createReplicas } from './replicas.ts';
import type { ProofReport } from './report.ts';
import { reportOf } from './report.ts';
import type { StallMeter } from './stall.ts';
import { createStallMeter } from './stall.ts';

const JOB_ENDS_WITHIN_MS = 300 * SECOND;
const ASK_EVERY_MS = 200;

/** Asks any replica until one answers. */
function createAsk(replicas: Replicas) {
  return async <O extends Operation>(operation: O, call: CallOf<O>): Promise<Answer<O>> => {
    for (;;) {
      const replica = replicas.running()[0];
      const answer = await (replica && callOperation(replica.connection, operation, call).catch(() => undefined));
      if (answer !== undefined) return answer;
      await systemClock.sleep(ASK_EVERY_MS);
    }
  };
}

type Ask = ReturnType<typeof createAsk>;

/** Follows the job to its end, and returns its state. */
async function followJob(ask: Ask, faults: Faults, stalls: StallMeter): Promise<string> {
  const began = systemClock.now();
  let [seen, changedAt] = ['', began];
  for (;;) {
    const { state, messages } = (await ask(upgradeOperations.status, {})).status;
    const progress = `${state} ${messages.length}`;
    const now = systemClock.now();
    stalls.note(now, changedAt, faults.outageUntil());
    if (progress !== seen) [seen, changedAt] = [progress, now];
    const isOver = state !== 'in_progress' && state !== 'rolling_back' && state !== 'paused';
    if (isOver || now - began > JOB_ENDS_WITHIN_MS) return state;
    await systemClock.sleep(ASK_EVERY_MS);
  }
}

/** What the job left behind, compared with what it should have. */
async function brokenPromises(ask: Ask, state: string, expected: string): Promise<readonly string[]> {
  const { fullVersion: current } = await ask(upgradeOperations.currentVersion, {});
  const { isReadOnly } = await ask(modeOperations.mode, {});
  const id = (await ask(upgradeOperations.status, {})).job?.id ?? '';
  const job = await ask(jobOperations.item, { names: { id } });
  const texts = job.messages.map(({ message }) => message);
  const ends = texts.filter((text) => text === texts.at(-1)).length;
  return [
    ...(state === 'success' ? [] : [`A job ended as ${state}.`]),
    ...(current === expected ? [] : [`The version is ${current} after a job to ${expected}.`]),
    ...(!isReadOnly ? [] : ['The system is read-only after a job.']),
    ...(ends === 1 ? [] : [`A job has reported its end ${ends} times.`]),
  ];
}

/** Upgrades and rolls back by turns while faults are injected. */
async function measure({ options, streams }: ProofRun, replicas: Replicas): Promise<ProofReport> {
  const ask = createAsk(replicas);
  const broken: string[] = [];
  const stalls = createStallMeter();
  let jobs = 0;
  await ask(simulationOperations.settings, { fields: { rolloutMs: 500 } });
  const { fullVersion: before } = await ask(upgradeOperations.currentVersion, {});
  const patch = (await ask(upgradeOperations.available, {})).find(({ update }) => update === 'patch');
  const [id, after] = [patch?.id ?? '', `${patch?.version ?? ''}.${patch?.build ?? ''}`];
  const faults = createFaults({
    replicas,
    random: createRandom(options.seed),
    restartDatabase: options.restartDatabase,
    onFault: () => undefined,
    pauseMs: [SECOND, 4 * SECOND],
  });
  const end = systemClock.now() + options.seconds * SECOND;
  const injected = faults.run(end);
  injected.catch(() => undefined);
  while (systemClock.now() < end && broken.length === 0) {
    const isUpgrade = jobs % 2 === 0;
    const operation = isUpgrade ? upgradeOperations.upgrade : upgradeOperations.rollback;
    await ask(operation, { fields: { versionManifest: id } });
    const state = await followJob(ask, faults, stalls);
    jobs += 1;
    broken.push(...(await brokenPromises(ask, state, isUpgrade ? after : before)));
    streams.score(`${jobs} jobs, ${broken.length} broken promises, ${faultText(faults, stalls.longest())}`);
  }
  await injected;
  const figures = { 'upgrades and rollbacks': jobs };
  return reportOf('upgrades', options, faults, stalls.longest(), { figures, broken });
}

export async function proveUpgrades(run: ProofRun): Promise<ProofReport> {
  const { options, folder } = run;
  const flags = ['--demo', '--demo-receiver-port', '0'];
  const replicas = createReplicas({ folder, store: options.store, flags });
  try {
    for (let n = 0; n < options.replicas; n += 1) await replicas.start(n);
    return await measure(run, replicas);
  } finally {
    await replicas.stop();
  }
}
