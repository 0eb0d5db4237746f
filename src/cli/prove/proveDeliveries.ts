// Proves the promises about deliveries: no accepted event is lost, only attempts in flight are repeated, and the ledger adds up.
import { SECOND, systemClock } from '../../foundation/clock.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import { catalogOperations } from '../../wire/operations/catalogOperations.ts';
import { deliveryOperations, serviceWebhookOperations } from '../../wire/operations/webhookOperations.ts';
import type { Connection } from '../remote/connection.ts';
import { SERVICE, startEventLoad } from './eventLoad.ts';
import { createFaults } from './faults.ts';
import { startLedgerReceiver } from './ledgerReceiver.ts';
import type { ProofReport } from './report.ts';
import type { ProofRun } from './prove.ts';
import { createRandom } from './random.ts';
import { createReplicas } from './replicas.ts';

const PATHS = ['/steady', '/flaky'];
const SETTLE_MS = 120 * SECOND;
const POLICY = {
  notificationAttempts: '5',
  notificationTimeOutInSeconds: '1',
  notificationElapsedTimeInSeconds: '1',
  numberOfFailures: '100000',
};

async function setUp(connection: Connection, url: string, signatureKey: string): Promise<void> {
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    connection.call({ method: 'POST', path, fields });
  await post(deliveryOperations.settings.path, POLICY);
  await post(catalogOperations.createService.path, { serviceName: 'Prove', type: 'Test' });
  const create = serviceWebhookOperations.create.path.replace('{service}', SERVICE);
  for (const path of PATHS) await post(create, { name: path.slice(1), hookUrl: url + path, signatureKey });
}

interface Ledger {
  readonly accepted: number;
  readonly delivered: number;
  readonly pending: number;
}

/** The sum of the ledgers of all webhooks; undefined while no replica answers. */
async function readLedger(connection: Connection | undefined): Promise<Ledger | undefined> {
  const path = deliveryOperations.all.path;
  const answer = await connection?.call({ method: 'GET', path, fields: {} }).catch(() => undefined);
  const webhooks = valueAt(answer, 'webhooks');
  if (!Array.isArray(webhooks)) return undefined;
  const sum = (name: string): number =>
    webhooks.reduce((total: number, one) => total + Number(valueAt(one, 'ledger', name)), 0);
  return { accepted: sum('accepted'), delivered: sum('delivered'), pending: sum('pending') };
}

export async function proveDeliveries({ options, folder, streams }: ProofRun): Promise<ProofReport> {
  const { seed, seconds, store, restartDatabase } = options;
  const replicas = createReplicas({ folder, store, flags: [] });
  const receiver = await startLedgerReceiver(createRandom(seed + 1));
  try {
    const first = await replicas.start(0);
    for (let n = 1; n < options.replicas; n += 1) await replicas.start(n);
    await setUp(first.connection, receiver.url, receiver.signatureKey);
    const arrived = (): number => Math.min(...PATHS.map((path) => receiver.arrived(path).size));
    const load = startEventLoad(replicas, createRandom(seed + 2), arrived);
    let [inFlight, longestStallMs] = [0, 0];
    const faults = createFaults({
      replicas,
      random: createRandom(seed),
      restartDatabase,
      onFault: () => (inFlight += receiver.inFlight()),
      pauseMs: [2 * SECOND, 6 * SECOND],
    });
    const score = setInterval(() => {
      longestStallMs = Math.max(longestStallMs, systemClock.now() - receiver.lastArrival());
      streams.score(
        `${load.accepted.size} accepted, ${arrived()} delivered, ${receiver.repeats()} repeated, ${inFlight} in flight at faults, ${faults.kills()} kills, ${faults.freezes()} freezes, ${faults.databaseRestarts()} restarts, longest stall ${(longestStallMs / SECOND).toFixed(1)} s`,
      );
    }, SECOND);
    try {
      await faults.run(systemClock.now() + seconds * SECOND);
      await load.stop();
      const deadline = systemClock.now() + SETTLE_MS;
      const lostAt = (path: string) => [...load.accepted].filter((id) => !receiver.arrived(path).has(id)).length;
      let ledger: Ledger | undefined;
      do {
        await systemClock.sleep(SECOND);
        ledger = await readLedger(replicas.running()[0]?.connection);
      } while ((ledger === undefined || ledger.pending > 0) && systemClock.now() < deadline);
      const lost = PATHS.reduce((sum, path) => sum + lostAt(path), 0);
      const promises: readonly (readonly [boolean, string])[] = [
        [lost === 0, `${lost} accepted deliveries did not arrive.`],
        [
          receiver.repeats() <= inFlight,
          `${receiver.repeats()} attempts were repeated, but only ${inFlight} were in flight.`,
        ],
        [receiver.wrongSignatures() === 0, `${receiver.wrongSignatures()} deliveries had a wrong signature.`],
        [
          ledger?.accepted === load.accepted.size * PATHS.length,
          `The ledger has ${ledger?.accepted} deliveries of ${load.accepted.size * PATHS.length}.`,
        ],
        [ledger?.pending === 0, `${ledger?.pending} deliveries are still pending.`],
      ];
      return {
        subject: 'deliveries',
        seed,
        seconds,
        replicas: options.replicas,
        store: store === 'sqlite' ? 'sqlite' : 'postgres',
        kills: faults.kills(),
        freezes: faults.freezes(),
        databaseRestarts: faults.databaseRestarts(),
        longestStallMs,
        figures: {
          'events accepted': load.accepted.size,
          'deliveries arrived': PATHS.reduce((sum, path) => sum + receiver.arrived(path).size, 0),
          lost,
          requests: receiver.requests(),
          'attempts repeated': receiver.repeats(),
          'in flight at the faults': inFlight,
        },
        broken: promises.filter(([isKept]) => !isKept).map(([, text]) => text),
      };
    } finally {
      clearInterval(score);
    }
  } finally {
    await replicas.stop();
    await receiver.close();
  }
}
