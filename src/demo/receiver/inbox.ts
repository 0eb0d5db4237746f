import { StewardError, invalidField } from '../../foundation/errors.ts';
import type { ReceiverAnswer } from '../../wire/documents/receiverAnswer.ts';
import {
  ANSWER_CHOICES,
  SLOW_SECONDS,
  readReceiverAnswer,
  readSlowSeconds,
} from '../../wire/documents/receiverAnswer.ts';

const MAX_INBOXES = 100;
const MAX_ARRIVALS = 200;
const MAX_IDS = 10_000;

export interface Arrival {
  readonly at: string;
  readonly id: string | null;
  readonly type: string | null;
  readonly attempt: number | null;
  readonly verified: boolean;
  readonly problem: string | null;
  readonly repeat: boolean;
  /** Null until the answer is sent. It stays null for `never`, and if the sender disconnects first. */
  answered: number | null;
  readonly body: string;
}

/** What the demo receiver remembers about one name, in memory. */
export interface Inbox {
  answer: ReceiverAnswer;
  readonly counts: { received: number; distinctIds: number; verified: number; repeats: number };
  readonly ids: Set<string>;
  /** Newest first. */
  readonly deliveries: Arrival[];
}

export function newInbox(): Inbox {
  const counts = { received: 0, distinctIds: 0, verified: 0, repeats: 0 };
  return { answer: { kind: 'status', status: 200 }, counts, ids: new Set(), deliveries: [] };
}

/** The behaviour in the form in which it is set: a status, `slow` with its seconds, or `never`. */
interface Behaviour {
  readonly answer: string;
  readonly seconds?: number;
}

/** Reads a behaviour as a person sends it. */
export function readBehaviour(given: Readonly<Record<string, string | undefined>>): ReceiverAnswer {
  const seconds = readSlowSeconds(given['seconds'] ?? '30');
  const answer = readReceiverAnswer(given['answer'] ?? '', seconds ?? 0);
  if (answer === undefined) throw invalidField('answer', `must be ${ANSWER_CHOICES}`);
  if (answer.kind === 'slow' && seconds === undefined) throw invalidField('seconds', `must be ${SLOW_SECONDS}`);
  return answer;
}

function behaviourOf(answer: ReceiverAnswer): Behaviour {
  if (answer.kind === 'status') return { answer: String(answer.status) };
  return answer.kind === 'slow' ? { answer: 'slow', seconds: answer.seconds } : { answer: 'never' };
}

export function summaryOf(name: string, { answer, counts }: Inbox) {
  return { name, path: `/receive/${encodeURIComponent(name)}`, behaviour: behaviourOf(answer), ...counts };
}

export function addArrival(inbox: Inbox, arrival: Arrival): void {
  const { counts, ids, deliveries } = inbox;
  counts.received += 1;
  if (arrival.verified) counts.verified += 1;
  if (arrival.repeat) counts.repeats += 1;
  if (arrival.id !== null && !arrival.repeat) {
    counts.distinctIds += 1;
    ids.add(arrival.id);
  }
  const [oldest] = ids;
  if (ids.size > MAX_IDS && oldest !== undefined) ids.delete(oldest);
  deliveries.unshift(arrival);
  deliveries.length = Math.min(deliveries.length, MAX_ARRIVALS);
}

export function createInboxes() {
  const byName = new Map<string, Inbox>();
  return {
    byName,
    /** Returns the inbox of this name, and creates it if there is room. */
    open(name: string): Inbox {
      const inbox = byName.get(name) ?? newInbox();
      if (byName.size >= MAX_INBOXES && !byName.has(name))
        throw new StewardError(
          'conflict',
          `The limit of ${MAX_INBOXES} boxes is reached. Clear one with POST /clear/<name>.`,
        );
      byName.set(name, inbox);
      return inbox;
    },
  };
}

export type Inboxes = ReturnType<typeof createInboxes>;
