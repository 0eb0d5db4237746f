// Proves the promises about deliveries: no accepted event is lost, only attempts in flight are repeated, and the ledger adds up.
import { SECOND, systemClock } from '../../foundation/clock.ts';
import { catalogOperations } from '../../wire/operations/catalogOperations.ts';
import { deliveryOperations, serviceWebhookOperations } from '../../wire/operations/webhookOperations.ts';
import type { Connection } from '../remote/connection.ts';
import { callOperation } from '../remote/typedCall.ts';
import { SERVICE, startEventLoad } from './eventLoad.ts';
import { createFaults, faultText } from './faults.ts';
import type { LedgerReceiver } from './ledgerReceiver.ts';
import { startLedgerReceiver } from './ledgerReceiver.ts';
import type { ProofReport } from './report.ts';
import { reportOf } from './report.ts';
import type { ProofRun } from './proofRun.ts';
import { createRandom } from './random.ts';
import type { Replicas } from './replicas.ts';
import { createReplicas } from './replicas.ts';
import { createStallMeter } from './stall.ts';

const PATHS = ['/steady', '/flaky'];
const SETTLE_MS = 120 * SECOND;
const POLICY = {
  notificationAttempts: 5,
  notificationTimeOutInSeconds: 1,
  notificationElapsedTimeInSeconds: 1,
  numberOfFailures: 100_000,
};

async function setUp(connection: Connection, url: string, signatureKey: string): Promise<void> {
  await callOperation(connection, deliveryOperations.settings, { fields: POLICY });
  await callOperation(connection, catalogOperations.createService, { fields: { serviceName: 'Prove', type: 'Test' } });
  for (const path of PATHS)
    await callOperation(connection, serviceWebhookOperations.create, {
      names: { service: SERVICE },
      fields: { name: path.slice(1), hookUrl: url + path, signatureKey },
    });
}

interface Ledger {
  readonly accepted: number;
  readonly delivered: number;
  readonly pending: number;
}

/** The sum of the ledgers of all webhooks; undefined while no replica answers. */
async function readLedger(connection: Connection | undefined): Promise<Ledger | undefined> {
  const read = connection && callOperation(connection, deliveryOperations.all, {});
  const answer = await read?.catch(() => undefined);
  if (answer === undefined) return undefined;
  const sum = (name: keyof Ledger): number => answer.webhooks.reduce((total, { ledger }) => total + ledger[name], 0);
  return { accepted: sum('accepted'), delivered: sum('delivered'), pending: sum('pending') };
}

interface Counted {
  readonly accepted: ReadonlySet<string>;
  readonly receiver: LedgerReceiver;
  readonly inFlight: number;
  readonly ledger: Ledger | undefined;
}

function lostIn({ accepted, receiver }: Counted): number {
  const missingAt = (path: string): number => [...accepted].filter((id) => !receiver.arrived(path).has(id)).length;
  return PATHS.reduce((sum, path) => sum + missingAt(path), 0);
}

function brokenPromises(counted: Counted): readonly string[] {
  const { accepted, receiver, inFlight, ledger } = counted;
  const lost = lostIn(counted);
  const expected = accepted.size * PATHS.length;
  const promises: readonly (readonly [boolean, string])[] = [
    [lost === 0, `${lost} accepted deliveries did not arrive.`],
    [
      receiver.repeats() <= inFlight,
      `${receiver.repeats()} attempts were repeated, but only ${inFlight} were in flight.`,
    ],
    [receiver.wrongSignatures() === 0, `${receiver.wrongSignatures()} deliveries had a wrong signature.`],
    [ledger?.accepted === expected, `The ledger has ${ledger?.accepted} deliveries instead of ${expected}.`],
    [ledger?.pending === 0, `${ledger?.pending} deliveries are still pending.`],
  ];
  return promises.filter(([isKept]) => !isKept).map(([, text]) => text);
}

function figuresOf(counted: Counted): Readonly<Record<string, number>> {
  const { accepted, receiver, inFlight } = counted;
  return {
    'events accepted': accepted.size,
    'deliveries arrived': PATHS.reduce((sum, path) => sum + receiver.arrived(path).size, 0),
    lost: lostIn(counted),
    requests: receiver.requests(),
    'attempts repeated': receiver.repeats(),
    'in flight at the faults': inFlight,
  };
}

/** Waits until no delivery is pending, or the time is over. */
async function settle(replicas: Replicas): Promise<Ledger | undefined> {
  const deadline = systemClock.now() + SETTLE_MS;
  for (;;) {
    await systemClock.sleep(SECOND);
    const ledger = await readLedger(replicas.running()[0]?.connection);
    if (ledger?.pending === 0 || systemClock.now() > deadline) return ledger;
  }
}

/** Puts load on running replicas, injects faults, and counts. */
async function measure(
  { options, streams }: ProofRun,
  replicas: Replicas,
  receiver: LedgerReceiver,
): Promise<ProofReport> {
  const { seed, seconds, restartDatabase } = options;
  const arrived = (): number => Math.min(...PATHS.map((path) => receiver.arrived(path).size));
  const load = startEventLoad(replicas, createRandom(seed + 2), arrived);
  let inFlight = 0;
  const stalls = createStallMeter();
  const onFault = (): void => void (inFlight += receiver.inFlight());
  const pauseMs = [2 * SECOND, 6 * SECOND] as const;
  const faults = createFaults({ replicas, random: createRandom(seed), restartDatabase, onFault, pauseMs });
  const score = setInterval(() => {
    if (load.isOn()) stalls.note(systemClock.now(), receiver.lastArrival(), faults.outageUntil());
    streams.score(
      `${load.accepted.size} accepted, ${arrived()} delivered, ${receiver.repeats()} repeated, ${inFlight} in flight at faults, ${faultText(faults, stalls.longest())}`,
    );
  }, SECOND);
  try {
    await faults.run(systemClock.now() + seconds * SECOND);
    await load.stop();
    const counted = { accepted: load.accepted, receiver, inFlight, ledger: await settle(replicas) };
    const outcome = { figures: figuresOf(counted), broken: brokenPromises(counted) };
    return reportOf('deliveries', options, faults, stalls.longest(), outcome);
  } finally {
    clearInterval(score);
  }
}

export async function proveDeliveries(run: ProofRun): Promise<ProofReport> {
  const { options, folder } = run;
  const replicas = createReplicas({ folder, store: options.store, flags: [] });
  const receiver = await startLedgerReceiver(createRandom(options.seed + 1));
  try {
    const first = await replicas.start(0);
    for (let n = 1; n < options.replicas; n += 1) await replicas.start(n);
    await setUp(first.connection, receiver.url, receiver.signatureKey);
    return await measure(run, replicas, receiver);
  } finally {
    await replicas.stop();
    await receiver.close();
  }
}
