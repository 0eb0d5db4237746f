import type { EventContent } from './recordingReceiver.ts';
import { randomPause } from '../run/until.ts';
import type { Answer, Client } from '../server/client.ts';

export interface Accepted extends EventContent {
  readonly id: string;
}

export interface EventSender {
  /** The accepted events by the names that the sender gave them. */
  readonly accepted: ReadonlyMap<string, Accepted>;
  /** Unexpected answers. */
  readonly problems: readonly string[];
  /** Sends events until they are accepted. */
  send(events: readonly EventContent[]): Promise<void>;
  /** Stops sending; resolves when every event that was sent is accepted. */
  stop(): Promise<void>;
}

export interface SenderOptions {
  readonly token: string;
  readonly service: string;
  /** The servers that run at the moment. */
  readonly servers: () => readonly Pick<Client, 'post'>[];
  /** The number of events that have arrived everywhere. */
  readonly arrived: () => number;
}

const MANY = 5;
const ONE_IN = 5;
const PAUSE_MS = 15;
const AGAIN_MS = 20;
/** With more events than this in flight the clients wait, so that no backlog grows on a slow machine. */
const UNDER_WAY = 100;

function fieldsOf(events: readonly EventContent[]): Record<string, string> {
  const [first] = events;
  const written = events.map((told) => ({ event: 'order', payload: told, eventId: told.name }));
  if (events.length !== 1 || first === undefined) return { events: JSON.stringify(written) };
  return { event: 'order', payload: JSON.stringify(first), eventId: first.name };
}

/** Publishes events until it is stopped, some alone and some together. An event without an answer is sent again under the same name. */
export function startSending({ token, service, servers, arrived }: SenderOptions, clients: number): EventSender {
  const accepted = new Map<string, Accepted>();
  const problems: string[] = [];
  const stopping = new AbortController();
  let count = 0;

  function note(events: readonly EventContent[], { status, body }: Answer, isFirstTry: boolean): boolean {
    // 408: the server was stopped while the request arrived. The sender repeats it, as after a lost answer.
    if (status === 503 || status === 408) return false;
    if (status !== 200) problems.push(`answered ${status}: ${JSON.stringify(body)}`);
    for (const [n, told] of events.entries()) {
      const { id, eventId, repeat } = body.events?.[n] ?? {};
      if (eventId !== told.name) problems.push(`${told.name} was accepted as ${String(eventId)}`);
      if (repeat && isFirstTry) problems.push(`${told.name} is called a repeat`);
      accepted.set(told.name, { ...told, id });
    }
    return true;
  }

  async function send(events: readonly EventContent[]): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const running = servers();
      const server = running[Math.floor(Math.random() * running.length)];
      const answered = await server
        ?.post(`/admin/services/${service}/events`, { token, ...fieldsOf(events) })
        .catch(() => undefined);
      if (answered !== undefined && note(events, answered, tries === 0)) return;
      await randomPause(AGAIN_MS);
    }
  }

  async function client(): Promise<void> {
    while (!stopping.signal.aborted) {
      const size = Math.random() < 0.5 ? 1 : MANY;
      const events = Array.from({ length: size }, () => {
        count += 1;
        return { name: `e${count}`, mustFail: count % ONE_IN === 0 };
      });
      await send(events);
      do await randomPause(2 * PAUSE_MS);
      while (accepted.size - arrived() > UNDER_WAY && !stopping.signal.aborted);
    }
  }

  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    accepted,
    problems,
    send,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
