// Clients that use all replicas of an installation while they are replaced: events to a receiver, and requests to the catalog.
import { startLoop } from '../../../../src/foundation/flow/loop.ts';
import { systemClock } from '../../../../src/foundation/clock.ts';
import { silentLog } from '../../../../src/foundation/log.ts';
import { randomPause } from '../../run/until.ts';
import type { Client, Transport } from '../../server/client.ts';
import { createClient } from '../../server/client.ts';
import type { EventSender } from '../../webhooks/eventSender.ts';
import { startSending } from '../../webhooks/eventSender.ts';
import type { RecordingReceiver } from '../../webhooks/recordingReceiver.ts';
import { startRecordingReceiver } from '../../webhooks/recordingReceiver.ts';
import type { WebhookSetup } from '../../webhooks/webhookSetup.ts';
import { SERVICE, STEADY_PATH, arrivedIn, setUpWebhooks } from '../../webhooks/webhookSetup.ts';
import type { Installation, Replica } from './installation.ts';
import { isLostConnection } from './installation.ts';

export interface ReplicaLoad {
  readonly setup: WebhookSetup;
  readonly receiver: RecordingReceiver;
  readonly events: EventSender;
  /** Answers and errors that a client must not meet. A connection that is refused or lost is not one: it is tried again. */
  readonly problems: readonly string[];
  readonly counts: { soap: number; lostConnections: number };
  /** Stops the clients; resolves when each of their requests is answered. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

const OPERATIONS = ['GetMessageVersion', 'GetServiceDescriptions'];
const EVENT_CLIENTS = 3;
const PAUSE_MS = 60;
const LOOK_EVERY_MS = 500;
/** Longer than the test: no delivery is given up. */
const POLICY = { attempts: 5, timeOutS: 30, waitS: 1 };

function envelope(operation: string): string {
  return `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation}/></e:Body></e:Envelope>`;
}

/** Starts the clients, which use every replica that is ready, as a Service does. */
export async function startReplicaLoad(installation: Installation, admin: Client, token: string): Promise<ReplicaLoad> {
  const receiver = await startRecordingReceiver(() => 200);
  const setup = await setUpWebhooks({ ...admin, token: async () => token }, receiver, POLICY, [STEADY_PATH]);
  const problems: string[] = [];
  const counts = { soap: 0, lostConnections: 0 };
  const stopping = new AbortController();
  let ready: readonly Replica[] = await installation.replicas();
  const look = startLoop({
    name: 'replicas',
    pauseMs: LOOK_EVERY_MS,
    clock: systemClock,
    log: silentLog,
    turn: async () => void (ready = await installation.replicas()),
  });

  function watched({ pod, send }: Replica): Transport {
    return async (request) => {
      try {
        const answer = await send(request);
        if (answer.status !== 200) problems.push(`${pod} answered ${answer.status} to ${request.path}: ${answer.text}`);
        return answer;
      } catch (error) {
        if (isLostConnection(error)) counts.lostConnections += 1;
        else problems.push(`${pod} did not answer ${request.path}: ${String(error)}`);
        throw error;
      }
    };
  }
  async function askCatalog(operation: string): Promise<void> {
    const request = { method: 'POST', path: '/services', headers: { 'content-type': 'text/xml' } } as const;
    while (!stopping.signal.aborted) {
      const replica = ready[Math.floor(Math.random() * ready.length)];
      if (replica !== undefined) {
        const answered = watched(replica)({ ...request, payload: envelope(operation) });
        await answered.then(() => (counts.soap += 1)).catch(() => undefined);
      }
      await randomPause(PAUSE_MS);
    }
  }

  const events = startSending(
    {
      token,
      service: SERVICE,
      servers: () => ready.map((replica) => createClient(watched(replica))),
      arrived: () => arrivedIn(setup, receiver),
    },
    EVENT_CLIENTS,
  );
  const catalog = Promise.all(OPERATIONS.map(askCatalog));
  const stop = async (): Promise<void> => {
    stopping.abort();
    await events.stop();
    await catalog;
    await look.stop();
  };
  return { setup, receiver, events, problems, counts, stop, close: () => receiver.close() };
}
